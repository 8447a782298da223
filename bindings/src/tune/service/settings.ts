/** Settings, checked, with what is not said filled in; and those of the environment. */
import { describe } from '../../arguments.js';
import { checkDigits } from '../record.js';
import { checkNumber, checkObject, checkText, wrong } from '../wrong.js';
import type { TuneServiceOptions } from './types.js';

/** Settings of a service, all of them. */
export type Settings = Required<
  Omit<TuneServiceOptions, 'database' | 'tls' | 'origin' | 'maintainToken' | 'queryToken'>
> &
  Pick<TuneServiceOptions, 'database' | 'tls' | 'origin' | 'maintainToken' | 'queryToken'>;

/** Numbers: default, least, most. */
const NUMBERS = {
  port: [8090, 0, 65_535],
  behindProxy: [0, 0, 16],
  rate: [6000, 1, 1e9],
  operators: [1_000_000, 1, 1e9],
  codeBytes: [2 ** 30, 0, 2 ** 43],
  oneCodeBytes: [4 * 2 ** 20, 0, 2 ** 28],
  leaseMs: [60_000, 100, 86_400_000],
  presentMs: [90_000, 100, 86_400_000],
  attempts: [5, 1, 1000],
  retryMs: [86_400_000, 0, 1e12],
  sortMs: [1000, 0, 86_400_000],
  flushMs: [50, 1, 60_000],
  keptHours: [24 * 90, 1, 24 * 3660],
} as const;

const LEAST_TOKEN = 32;
const OTHERS = [
  ...['data', 'database', 'host', 'tls', 'origin', 'pages', 'explorers'],
  ...['maintainToken', 'queryToken', 'log'],
];

/** Errors: TuneError `tune.option`. */
export function checkSettings(options: TuneServiceOptions): Settings {
  checkObject('tune.option', 'settings', options, [], [...Object.keys(NUMBERS), ...OTHERS]);
  const numbers = Object.fromEntries(
    Object.entries(NUMBERS).map(([name, [otherwise, least, most]]) => {
      const value = options[name as keyof typeof NUMBERS] ?? otherwise;
      return [name, checkNumber('tune.option', name, value, least, most, true)];
    }),
  ) as unknown as Record<keyof typeof NUMBERS, number>;
  const { host = '127.0.0.1', tls, database, log = 'info' } = options;
  const local = ['127.0.0.1', '::1', 'localhost'].includes(host);
  if (!local && tls === undefined && numbers.behindProxy === 0)
    throw wrong(
      'tune.option',
      'host',
      host,
      'one of this machine, or tls, or behindProxy: tokens must not travel in the clear',
    );
  if (database !== undefined && !/^postgres(ql)?:\/\//.test(database))
    throw wrong('tune.option', 'database', 'another address', 'postgres://');
  if (!['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'].includes(log))
    throw wrong('tune.option', 'log', describe(log), 'fatal, error, warn, info, debug, trace or silent');
  for (const name of ['maintainToken', 'queryToken'] as const) {
    const token = options[name];
    if (token !== undefined && (typeof token !== 'string' || token.length < LEAST_TOKEN))
      throw wrong('tune.option', name, 'a shorter one', `a text of ${LEAST_TOKEN} characters or more`);
  }
  return {
    ...numbers,
    host,
    log,
    data: checkText('tune.option', 'data', options.data ?? 'tune-data', 4096),
    explorers: (options.explorers ?? []).map((key) => checkDigits('explorers', key, 32)),
    pages: (options.pages ?? []).map((page) => originOf('pages', page)),
    ...(tls !== undefined && { tls }),
    ...(database !== undefined && { database }),
    ...(options.origin !== undefined && { origin: originOf('origin', options.origin) }),
    ...(options.maintainToken !== undefined && { maintainToken: options.maintainToken }),
    ...(options.queryToken !== undefined && { queryToken: options.queryToken }),
  };
}

function originOf(where: string, text: string): string {
  try {
    const { origin } = new URL(text);
    if (origin !== 'null') return origin;
  } catch {
    // Told below.
  }
  throw wrong('tune.option', where, describe(text), 'an origin, such as https://example.org');
}

/** Names in the environment, and which setting they are. */
const TEXTS = {
  TUNE_DATA: 'data',
  TUNE_DATABASE: 'database',
  TUNE_HOST: 'host',
  TUNE_ORIGIN: 'origin',
  TUNE_MAINTAIN_TOKEN: 'maintainToken',
  TUNE_QUERY_TOKEN: 'queryToken',
  TUNE_LOG: 'log',
} as const;

/** Settings of the environment: `TUNE_PORT`, `TUNE_LEASE_MS`, lists with commas between. Errors: TuneError `tune.option`. */
export function readSettings(
  env: Readonly<Record<string, string | undefined>>,
  read: (file: string) => Uint8Array,
): TuneServiceOptions {
  const options: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(TEXTS)) if (env[name]) options[setting] = env[name];
  for (const setting of Object.keys(NUMBERS)) {
    const name = `TUNE_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
    const text = env[name];
    if (text === undefined) continue;
    if (!/^\d{1,15}$/.test(text)) throw wrong('tune.option', name, text, 'a whole number');
    options[setting] = Number(text);
  }
  for (const [name, setting] of [
    ['TUNE_EXPLORERS', 'explorers'],
    ['TUNE_PAGES', 'pages'],
  ] as const)
    if (env[name]) options[setting] = env[name].split(',').map((one) => one.trim());
  const [cert, key] = [env.TUNE_TLS_CERT, env.TUNE_TLS_KEY];
  if (cert && key) options.tls = { cert: read(cert), key: read(key) };
  else if (cert || key)
    throw wrong('tune.option', 'TUNE_TLS_CERT, TUNE_TLS_KEY', 'one of them', 'both, or none');
  return options as TuneServiceOptions;
}
