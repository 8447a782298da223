/** The libraries of the service, Fastify, knex and a driver: optional peers, fetched when a service is made. */
import { wrong } from '../wrong.js';
import type { FastifyInstance, FastifyServerOptions } from 'fastify';
import type { Knex } from 'knex';

/** What is used of them. */
export interface Libraries {
  readonly fastify: (options: FastifyServerOptions) => FastifyInstance;
  /** Decides which requests are logged. */
  readonly LogController: new (options: { readonly disableRequestLogging: boolean }) => unknown;
  readonly rateLimit: unknown;
  readonly knex: (settings: Knex.Config) => Knex;
}

/** Fetches them. Errors: TuneError `tune.library`, with what to install. */
export async function libraries(): Promise<Libraries> {
  const [fastify, rateLimit, knex] = await Promise.all(['fastify', '@fastify/rate-limit', 'knex'].map(found));
  return {
    fastify: fastify?.default,
    LogController: fastify?.LogController,
    rateLimit: rateLimit?.default,
    knex: knex?.default,
  } as Libraries;
}

/** A driver of databases. Errors: TuneError `tune.library`. */
export async function driver(name: 'better-sqlite3' | 'pg'): Promise<Record<string, unknown>> {
  return found(name);
}

async function found(name: string): Promise<Record<string, unknown>> {
  try {
    // By a variable: neither compiler nor bundlers look for what need not be installed.
    return (await import(name)) as Record<string, unknown>;
  } catch (cause) {
    const all = 'npm install fastify @fastify/rate-limit knex, and better-sqlite3@12 or pg';
    throw wrong('tune.library', 'the service', `no package ${name}`, all, cause);
  }
}
