/** What a workgroup takes, and what a device has for one. */
import { failure } from '../errors.js';

/** What the workgroups of a shader take. */
export interface WorkgroupNeeds {
  /** Invocations of a workgroup, all along x. */
  readonly invocations: number;
  /** Bytes of its memory. */
  readonly bytes: number;
}

/** What a device tells of itself, as WebGPU names it. */
type WorkgroupLimits = Readonly<
  Record<
    'maxComputeWorkgroupSizeX' | 'maxComputeInvocationsPerWorkgroup' | 'maxComputeWorkgroupStorageSize',
    number
  >
>;

/** What a device has at most: as many invocations along x as in all. */
export function workgroupLimits({ limits }: { readonly limits: WorkgroupLimits }): WorkgroupNeeds {
  const { maxComputeWorkgroupSizeX, maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupStorageSize } =
    limits;
  return {
    invocations: Math.min(maxComputeWorkgroupSizeX, maxComputeInvocationsPerWorkgroup),
    bytes: maxComputeWorkgroupStorageSize,
  };
}

/** What is too much for a device; undefined where all fits. */
export function beyond(
  needs: WorkgroupNeeds,
  limits: WorkgroupNeeds,
): { readonly found: string; readonly expected: string } | undefined {
  for (const [name, what] of [
    ['invocations', 'invocations'],
    ['bytes', 'bytes of memory'],
  ] as const)
    if (needs[name] > limits[name])
      return {
        found: `a workgroup of ${needs[name]} ${what}`,
        expected: `at most ${limits[name]} on this device`,
      };
  return undefined;
}

/** Errors: GpuError `gpu.limit` for what a device has not. */
export function checkNeeds(needs: WorkgroupNeeds, limits: WorkgroupNeeds): void {
  const wrong = beyond(needs, limits);
  if (wrong !== undefined)
    throw failure('gpu.limit', `The GPU does not take ${wrong.found}: ${wrong.expected}`, { ...wrong });
}
