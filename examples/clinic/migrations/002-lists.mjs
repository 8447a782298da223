/** What lists and questions look up has an index; and key sets say which secret key they are of, so that no bytes are read for that while others wait. */

/** Indexes by table: of all rows, and of those alone that are still shown. */
const INDEXES = {
  programs: [{ columns: ['created', 'id'], shown: 'removed is null' }],
  key_sets: [
    { columns: ['created', 'id'], shown: "state <> 'deleted'" },
    { columns: ['holder', 'created', 'id'], shown: "state <> 'deleted'" },
    { columns: ['program', 'created', 'id'], shown: "state <> 'deleted'" },
    { columns: ['holder', 'program', 'created', 'id'], shown: "state <> 'deleted'" },
    { columns: ['holder', 'program', 'identity', 'created', 'id'], shown: "state <> 'deleted'" },
  ],
  key_requests: [{ columns: ['requester', 'created', 'id'] }, { columns: ['holder', 'created', 'id'] }],
  records: [{ columns: ['owner', 'created', 'id'], shown: 'deleted is null' }],
  grants: [{ columns: ['grantee', 'created', 'id'], shown: 'revoked is null' }],
  questions: [{ columns: ['asker', 'created', 'id'] }, { columns: ['holder', 'created', 'id'] }],
};
/** Each is the beginning of one of those. */
const BEFORE = { key_sets: 'holder', records: 'owner', grants: 'grantee', questions: 'asker' };

/** @param {import('knex').Knex} knex */
export async function up(knex) {
  await knex.schema.alterTable('key_sets', (table) => {
    // Null: the bytes have not been looked at yet, or say nothing.
    table.text('identity');
  });
  for (const [table, column] of Object.entries(BEFORE))
    await knex.schema.alterTable(table, (altered) => {
      altered.dropIndex(column);
    });
  await addIndexes(knex, INDEXES);
}

/** @param {import('knex').Knex} knex */
export async function addIndexes(knex, byTable) {
  for (const [table, indexes] of Object.entries(byTable))
    for (const { columns, shown } of indexes) {
      const name = `${table}_${columns.join('_')}_index`;
      const where = shown ? ` where ${shown}` : '';
      await knex.raw(`create index ?? on ?? (${columns.map(() => '??').join()})${where}`, [
        ...[name, table],
        ...columns,
      ]);
    }
}

export async function down() {
  throw new Error('a backup brings an older schema back');
}
