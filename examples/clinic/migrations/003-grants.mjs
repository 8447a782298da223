/** Who a record is granted to is a list in pages, too. */
import { addIndexes } from './002-lists.mjs';

/** @param {import('knex').Knex} knex */
export async function up(knex) {
  await knex.schema.alterTable('grants', (table) => {
    // The beginning of the other one.
    table.dropIndex('record');
  });
  await addIndexes(knex, {
    grants: [{ columns: ['record', 'created', 'id'], shown: 'revoked is null' }],
  });
}

export async function down() {
  throw new Error('a backup brings an older schema back');
}
