// A service that stands still while it stores an answer, and says so: CLINIC_STUCK=received before the file has its name, kept before its row is there, finished before the question has its answer.
import { join } from 'node:path';
import { createService } from '../../examples/clinic/service/app.mjs';
import { BlobStore } from '../../examples/clinic/service/blobs.mjs';
import { readConfig } from '../../examples/clinic/service/config.mjs';

const place = process.env.CLINIC_STUCK;

/** Waits for ever. */
function stand() {
  console.log(`stands at ${place}`);
  return new Promise(() => setInterval(() => {}, 1000));
}

class StuckStore extends BlobStore {
  #answers = new Set();

  async receive(stream, limits) {
    const received = await super.receive(stream, limits);
    // What a run gives is not limited as one upload.
    if (limits.most === Infinity) {
      this.#answers.add(received.sha);
      if (place === 'received') await stand();
    }
    return received;
  }

  async keep(received) {
    await super.keep(received);
    if (this.#answers.has(received.sha) && place === 'kept') await stand();
  }

  async discard(received) {
    await super.discard(received);
    if (this.#answers.has(received.sha) && place === 'finished') await stand();
  }
}

const config = readConfig(process.env);
const service = await createService(config, { blobs: new StuckStore(join(config.data, 'blobs')) });
console.log(`clinic listens on ${await service.listen()}`);
