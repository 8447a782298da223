/** What requests look like, as JSON schemas. Whatever they do not name is refused. */
import { MOST_MESSAGE } from './errors.mjs';
import { ROLE_NAMES } from './roles.mjs';
import { MOST_PASSWORD } from './passwords.mjs';

/** U+0000 is a character that not all databases keep. */
const CHARACTERS = '^[^\\u0000]*$';
const text = (most) => ({ type: 'string', minLength: 1, maxLength: most, pattern: CHARACTERS });
/** Of users: nothing in it means anything to a file system or a page. */
const userName = { type: 'string', pattern: '^[a-z0-9][a-z0-9._-]{1,62}$' };
const password = { type: 'string', minLength: 1, maxLength: MOST_PASSWORD };
const id = { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' };
const sha = { type: 'string', pattern: '^[0-9a-f]{64}$' };
/** As many digits as in an address; not all databases take what is beyond all integers. */
const attempt = { type: 'integer', minimum: 1, maximum: 999_999 };
/** What cipherloom tells of progress need not be whole. */
const count = { type: 'number', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };
const byName = (value, most) => ({
  type: 'object',
  maxProperties: most,
  propertyNames: text(200),
  additionalProperties: value,
});
const shas = (most) => ({ type: 'array', items: sha, maxItems: most, uniqueItems: true });

function object(properties, required = Object.keys(properties)) {
  return { type: 'object', properties, required, additionalProperties: false };
}

export const byId = object({ id });
export const byGrant = object({ id, grant: id });
export const bySha = object({ sha });
export const byWork = object({ id, attempt: { type: 'string', pattern: '^[0-9]{1,6}$' }, sha });
export const byAttempt = object({ id, attempt: { type: 'string', pattern: '^[0-9]{1,6}$' } });
export const byUser = object({ name: userName });

export const invite = object({ role: { enum: ROLE_NAMES } });
export const register = object({ code: text(100), name: userName, password });
export const login = object({ name: text(63), password });
export const newPassword = object({ old: password, password });
export const userSet = object({ disabled: { type: 'boolean' }, role: { enum: ROLE_NAMES } }, []);

export const program = object({ name: text(200), blob: sha });
/** The literal itself is the compiler's to check. */
export const compile = object(
  {
    name: text(200),
    task: { type: 'object' },
    options: object(
      {
        publicKey: { type: 'boolean' },
        scheme: { enum: ['BFV', 'BGV', 'CKKS'] },
        precision: { type: 'integer', minimum: 1, maximum: 40 },
        keyBytes: { type: 'integer', minimum: 1 },
        security: object(
          {
            table: { enum: ['guidelines-2024', 'standard-2018'] },
            bits: { enum: [128, 192, 256] },
            quantum: { type: 'boolean' },
          },
          [],
        ),
      },
      [],
    ),
  },
  ['name', 'task'],
);
export const key = object({ program: id, evaluation: shas(200), publicKey: sha, replaces: id }, [
  'program',
  'evaluation',
]);
/** Where a page begins (`pages.mjs`). */
const after = { type: 'string', pattern: '^[0-9]{1,15}_[0-9a-f-]{36}$' };
export const page = object({ after }, []);
export const userPage = object({ after: userName }, []);
/** Behind one's own records are those that others grant. */
export const recordPage = object({ after, granted: { const: 'yes' } }, []);
export const keyQuery = object({ holder: userName, program: id, after }, []);
export const keyRequest = object({ holder: userName, program: id });
export const record = object({
  program: id,
  key: id,
  label: text(200),
  inputs: { ...byName(sha, 100), minProperties: 1 },
});
export const grant = object({ to: userName, use: { enum: ['ask', 'read'] }, program: id }, ['to', 'use']);
export const question = object(
  {
    id,
    program: id,
    records: { type: 'array', items: id, minItems: 1, maxItems: 100, uniqueItems: true },
    given: object({ plain: byName({}, 100), public: byName({}, 100) }, []),
    runner: userName,
  },
  ['program', 'records'],
);
export const progress = {
  ...object({ attempt, done: count, total: count }, ['attempt']),
  dependencies: { done: ['total'], total: ['done'] },
};
export const result = object({ attempt, outputs: { ...byName(sha, 200), minProperties: 1 } });
export const failure = object({
  attempt,
  code: { type: 'string', pattern: '^[a-z]+(\\.[a-z_]+)?$', maxLength: 60 },
  message: text(MOST_MESSAGE),
});
export const auditQuery = object({ after: { type: 'string', pattern: '^[0-9]{1,15}$' } }, []);
