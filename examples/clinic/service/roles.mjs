/** Who may do what: the one table of permissions. What somebody may do with one record or question is said by grants, not here. */
import { ServiceError } from './errors.mjs';

/** What each permission allows. */
export const PERMISSIONS = {
  'users.manage': 'invite, disable, change roles',
  'audit.read': 'read the audit log',
  'blobs.write': 'upload bytes, up to a quota',
  'programs.read': 'list and fetch programs',
  'programs.write': 'upload programs, have tasks compiled, remove own ones',
  'keys.write': 'upload, rotate and delete own evaluation and public keys, answer requests for keys',
  'keys.read': 'find public keys, and request them of their holders',
  'records.write': 'store and delete encrypted records, grant their use, take it back',
  'questions.ask': 'ask questions of records, cancel them, fetch results',
  'questions.run': 'take questions that name this user, fetch what they need, give results',
};

/** @type {Record<string, readonly (keyof typeof PERMISSIONS)[]>} */
export const ROLES = {
  // Runs the place, and has no business with anybody's data.
  admin: ['users.manage', 'audit.read', 'programs.read'],
  // A patient: own key, own records, own questions.
  client: [
    'blobs.write',
    'programs.read',
    'programs.write',
    'keys.write',
    'keys.read',
    'records.write',
    'questions.ask',
  ],
  // A clinic that encrypts for others, by their public key.
  owner: ['blobs.write', 'programs.read', 'keys.read', 'records.write'],
  // A health department: own key and programs, others' records by their grants.
  analyst: ['blobs.write', 'programs.read', 'programs.write', 'keys.write', 'keys.read', 'questions.ask'],
  // Selects parameters and base operators for others' tasks.
  compiler: ['blobs.write', 'programs.read', 'programs.write'],
  // A device, or a trusted third party, that runs.
  worker: ['questions.run'],
};

export const ROLE_NAMES = Object.keys(ROLES);

/** Errors: 403 `role.forbidden`. */
export function allow(user, permission) {
  if (ROLES[user.role]?.includes(permission)) return;
  throw new ServiceError(
    403,
    'role.forbidden',
    `A user with the role ${user.role} may not ${PERMISSIONS[permission]}`,
    {
      found: user.role,
      expected: ROLE_NAMES.filter((name) => ROLES[name].includes(permission)),
    },
  );
}
