import { expect, test } from 'vitest';
import { modulusText, securityText } from '../src/security.js';

test('says how secure parameters are', () => {
  const level = { security: 'guidelines-2024', securityBits: 128, quantum: false } as const;
  expect(securityText(level)).toBe('128 bits by the Security Guidelines of 2024 (ia.cr/2024/463)');
  expect(securityText({ security: 'standard-2018', securityBits: 256, quantum: true })).toBe(
    '256 bits against quantum computers by the HE Security Standard of 2018',
  );
  expect(modulusText({ ...level, totalBits: 105.9, maxTotalBits: 106 })).toBe('106 of 106 allowed bits');
});

test('says that parameters are not secure', () => {
  const none = { security: 'insecure', securityBits: 0, quantum: false } as const;
  expect(securityText(none)).toMatch(/^INSECURE, for teaching only/);
  expect(modulusText({ ...none, totalBits: 60, maxTotalBits: 26 })).toBe('60 of 26 that would be secure');
});
