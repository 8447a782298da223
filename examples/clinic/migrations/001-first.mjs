/** All tables. Times are milliseconds since 1970; lists and objects are JSON; a `sha` is the SHA-256 of a blob, in hexadecimal digits. */

/** @param {import('knex').Knex} knex */
export async function up(knex) {
  await knex.schema.createTable('locks', (table) => {
    table.text('name').primary();
    table.bigInteger('turn').notNullable();
  });
  await knex('locks').insert([{ name: 'change', turn: 0 }]);
  await knex.schema.createTable('users', (table) => {
    table.text('id').primary();
    table.text('name').notNullable().unique();
    table.text('role').notNullable();
    table.text('password').notNullable();
    table.bigInteger('created').notNullable();
    table.bigInteger('disabled');
  });
  await knex.schema.createTable('invites', (table) => {
    table.text('hash').primary();
    table.text('role').notNullable();
    table.text('creator');
    table.bigInteger('expires').notNullable();
    table.text('used_by');
  });
  await knex.schema.createTable('sessions', (table) => {
    table.text('hash').primary();
    table.text('user').notNullable().index();
    table.bigInteger('created').notNullable();
    table.bigInteger('expires').notNullable();
  });
  await knex.schema.createTable('blobs', (table) => {
    table.text('sha').primary();
    table.bigInteger('bytes').notNullable();
    table.integer('kind').notNullable();
    table.bigInteger('created').notNullable();
  });
  // Who brought a blob, and what has it: a blob goes when neither is left.
  await knex.schema.createTable('uploads', (table) => {
    table.text('user').notNullable();
    table.text('sha').notNullable().index();
    table.bigInteger('created').notNullable();
    table.primary(['user', 'sha']);
  });
  await knex.schema.createTable('uses', (table) => {
    table.text('sha').notNullable().index();
    table.text('kind').notNullable();
    table.text('id').notNullable().index();
    table.primary(['sha', 'kind', 'id']);
  });
  await knex.schema.createTable('programs', (table) => {
    table.text('id').primary();
    table.text('owner').notNullable();
    table.text('name').notNullable();
    table.text('sha').notNullable();
    table.text('info').notNullable();
    table.bigInteger('created').notNullable();
    table.bigInteger('removed');
  });
  await knex.schema.createTable('key_sets', (table) => {
    table.text('id').primary();
    table.text('holder').notNullable().index();
    table.text('program').notNullable();
    table.text('evaluation').notNullable();
    table.text('public');
    table.text('state').notNullable();
    table.bigInteger('created').notNullable();
    table.bigInteger('changed');
  });
  await knex.schema.createTable('key_requests', (table) => {
    table.text('id').primary();
    table.text('requester').notNullable();
    table.text('holder').notNullable();
    table.text('program').notNullable();
    table.text('state').notNullable();
    table.text('key_set');
    table.bigInteger('created').notNullable();
  });
  await knex.schema.createTable('records', (table) => {
    table.text('id').primary();
    table.text('owner').notNullable().index();
    table.text('program').notNullable();
    table.text('key_set').notNullable();
    table.text('label').notNullable();
    table.text('inputs').notNullable();
    table.bigInteger('created').notNullable();
    table.bigInteger('deleted');
  });
  await knex.schema.createTable('grants', (table) => {
    table.text('id').primary();
    table.text('record').notNullable().index();
    table.text('grantee').notNullable().index();
    table.text('use').notNullable();
    table.text('program');
    table.bigInteger('created').notNullable();
    table.bigInteger('revoked');
  });
  await knex.schema.createTable('questions', (table) => {
    table.text('id').primary();
    table.text('asker').notNullable().index();
    table.text('program').notNullable();
    table.text('key_set').notNullable();
    table.text('holder').notNullable();
    table.text('records').notNullable();
    table.text('given').notNullable();
    table.text('runner');
    table.text('state').notNullable().index();
    table.integer('attempt').notNullable();
    table.text('worker');
    table.bigInteger('lease');
    table.bigInteger('done').notNullable();
    table.bigInteger('total').notNullable();
    table.text('code');
    table.text('message');
    table.text('outputs');
    table.bigInteger('created').notNullable();
    table.bigInteger('started');
    table.bigInteger('finished');
  });
  await knex.schema.createTable('audit', (table) => {
    table.bigInteger('seq').primary();
    table.bigInteger('at').notNullable();
    table.text('actor').notNullable();
    table.text('action').notNullable();
    table.text('subject').notNullable();
    table.text('details').notNullable();
    table.text('previous').notNullable();
    table.text('hash').notNullable();
  });
  // Nobody changes what the log says by this database's ordinary ways.
  if (knex.client.config.client === 'pg') {
    await knex.raw(`create function audit_is_kept() returns trigger language plpgsql as
      $$ begin raise exception 'the audit log is append-only'; end $$`);
    await knex.raw(`create trigger audit_kept before update or delete on audit
      for each row execute function audit_is_kept()`);
  } else {
    for (const change of ['update', 'delete'])
      await knex.raw(`create trigger audit_no_${change} before ${change} on audit
        begin select raise(abort, 'the audit log is append-only'); end`);
  }
}

export async function down() {
  throw new Error('the first schema has nothing before it');
}
