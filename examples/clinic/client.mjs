/** The clinic's client for Node: {@link CoreClient}, with secret keys in files of yours. */
import { readFile, writeFile } from 'node:fs/promises';
import { CoreClient } from './client-core.mjs';

export { AwayError, ClinicError, shaOf, taskIn } from './client-core.mjs';

export class ClinicClient extends CoreClient {
  /** Writes a secret key into a file, under a passphrase. Whoever has both can decrypt. */
  async saveKeys(set, file, passphrase) {
    await writeFile(file, await this.exportKeys(set, passphrase), { mode: 0o600 });
  }

  async loadKeys(set, program, file, passphrase) {
    await this.importKeys(set, program, await readFile(file), passphrase);
  }
}
