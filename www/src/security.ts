/** What a program's parameters are good for, in words. */
import type { ProgramInfo } from 'cipherloom';

const TABLES: Readonly<Record<string, string>> = {
  'guidelines-2024': 'the Security Guidelines of 2024 (ia.cr/2024/463)',
  'standard-2018': 'the HE Security Standard of 2018',
};

/** Its security level; of one that has none, that it protects nothing. */
export function securityText({
  security,
  securityBits,
  quantum,
}: Pick<ProgramInfo, 'security' | 'securityBits' | 'quantum'>): string {
  if (security === 'insecure')
    return 'INSECURE, for teaching only: whoever sees ciphertexts may find the key';
  return `${securityBits} bits${quantum ? ' against quantum computers' : ''} by ${TABLES[security] ?? security}`;
}

/** How many bits moduli have, of how many. */
export function modulusText({
  security,
  totalBits,
  maxTotalBits,
}: Pick<ProgramInfo, 'security' | 'totalBits' | 'maxTotalBits'>): string {
  const secure = security === 'insecure' ? 'that would be secure' : 'allowed bits';
  return `${totalBits.toFixed(0)} of ${maxTotalBits} ${secure}`;
}
