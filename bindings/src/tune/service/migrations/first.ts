/** All tables. Times are milliseconds since 1970; `name` is the SHA-256 of a key's canonical text, in hexadecimal digits; a record is JSON. */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('locks', (table) => {
    table.text('name').primary();
    table.bigInteger('turn').notNullable();
  });
  await knex('locks').insert([{ name: 'queue', turn: 0 }]);
  // What was ever asked for: keys by their names.
  await knex.schema.createTable('operators', (table) => {
    table.text('name').primary();
    table.text('key').notNullable();
    table.text('operator').notNullable().index();
    table.text('device').notNullable().index();
    table.bigInteger('first').notNullable();
  });
  await knex.schema.createTable('records', (table) => {
    table.text('name').primary();
    table.text('record').notNullable();
    table.text('kind').notNullable();
    table.text('explorer').notNullable().index();
    table.bigInteger('at').notNullable();
    // Milliseconds from the first miss to the record.
    table.bigInteger('waited').notNullable();
  });
  // Collect queue and explore queues: a name is in one of them, once.
  await knex.schema.createTable('queue', (table) => {
    table.text('name').primary();
    table.text('device').notNullable();
    // collected, queued, leased
    table.text('state').notNullable();
    // 1: high; 0: low
    table.integer('priority').notNullable();
    table.bigInteger('misses').notNullable();
    table.bigInteger('since').notNullable();
    table.integer('attempts').notNullable();
    table.text('task');
    table.text('explorer');
    table.bigInteger('until');
    table.index(['device', 'state']);
    table.index(['task']);
  });
  // What nothing was found for, and why.
  await knex.schema.createTable('failures', (table) => {
    table.text('name').primary();
    table.text('reason').notNullable();
    table.bigInteger('at').notNullable();
    table.integer('times').notNullable();
  });
  // One row for each result that came, of whatever sort: how often an operator was explored.
  await knex.schema.createTable('explorations', (table) => {
    table.increments('id');
    table.text('name').notNullable().index();
    table.text('task').notNullable();
    table.text('explorer').notNullable();
    table.text('outcome').notNullable();
    table.bigInteger('at').notNullable();
    table.unique(['name', 'task']);
  });
  // By the hour.
  await knex.schema.createTable('counts', (table) => {
    table.text('name').notNullable();
    table.bigInteger('hour').notNullable();
    table.bigInteger('queries').notNullable();
    table.bigInteger('hits').notNullable();
    table.bigInteger('guesses').notNullable();
    table.bigInteger('guessed').notNullable();
    table.primary(['name', 'hour']);
    table.index(['hour']);
  });
  await knex.schema.createTable('uses', (table) => {
    table.text('name').notNullable();
    table.text('task').notNullable();
    table.bigInteger('hour').notNullable().index();
    table.primary(['name', 'task']);
  });
  await knex.schema.createTable('explorers', (table) => {
    table.text('key').primary();
    table.text('device').notNullable();
    table.integer('room').notNullable();
    table.bigInteger('seen').notNullable();
    // pending, allowed, refused; and who says so: nobody, settings, maintainer
    table.text('standing').notNullable();
    table.text('said').notNullable();
    table.index(['device']);
  });
  await knex.schema.createTable('codes', (table) => {
    table.text('sha').primary();
    table.binary('bytes').notNullable();
    table.bigInteger('size').notNullable();
    table.text('explorer').notNullable();
  });
}

export async function down(): Promise<void> {
  throw new Error('records are not thrown away by going back');
}
