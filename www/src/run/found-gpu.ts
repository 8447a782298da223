/** Which GPU there is, in words; loaded when somebody first wants one. */
import { noGpuWords } from './gpu-choice.js';

/** What this browser gives to a page; workers, which do compute by it, find the same. */
export async function foundGpu(): Promise<string> {
  // Not there without https, whatever its type says.
  const gpu = navigator.gpu as GPU | undefined;
  if (gpu === undefined) return noGpu('no WebGPU here');
  const adapter = await gpu.requestAdapter().catch(() => null);
  if (adapter === null) return noGpu('WebGPU without an adapter');
  const { vendor, architecture, description } = (adapter.info as GPUAdapterInfo | undefined) ?? {};
  const name = description || [vendor, architecture].filter(Boolean).join(' ');
  return `GPU: ${name || 'one without a name'}. Results are the same to the last bit, whoever computes them.`;
}

function noGpu(why: string): string {
  return noGpuWords(why).replace('computed', 'compute');
}
