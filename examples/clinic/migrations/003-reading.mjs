/** Whom a record is granted to, and what one's own entries in the log are, has an index: neither is looked for in all that there is. */
import { addIndexes } from './002-lists.mjs';

/** @param {import('knex').Knex} knex */
export async function up(knex) {
  await knex.schema.alterTable('grants', (table) => {
    // The beginning of the other one.
    table.dropIndex('record');
  });
  await addIndexes(knex, {
    grants: [{ columns: ['record', 'created', 'id'], shown: 'revoked is null' }],
    audit: [{ columns: ['actor', 'seq'] }, { columns: ['subject', 'seq'] }],
  });
}

export async function down() {
  throw new Error('a backup brings an older schema back');
}
