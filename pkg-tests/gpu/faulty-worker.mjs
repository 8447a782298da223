// A graph worker of Node's whose GPU fails in the way that its data say: what a run does then is the package's affair.
import { workerData } from 'node:worker_threads';
import { create } from 'webgpu';

const gpu = create([]);
const navigator = { gpu: { requestAdapter } };
Object.defineProperty(globalThis, 'navigator', { value: navigator, configurable: true });

/** Gives devices of the real adapter, with a fault. */
async function requestAdapter() {
  const adapter = await gpu.requestAdapter();
  const requestDevice = async (options) => FAULTS[workerData.fault](await adapter.requestDevice(options));
  return { limits: adapter.limits, info: adapter.info, requestDevice };
}

const replaced = (device, name, value) => Object.defineProperty(device, name, { value });

const FAULTS = {
  none: (device) => device,
  /** Is gone after some work. */
  'gpu.lost'(device) {
    const { queue } = device;
    let left = 3;
    const submit = (commands) => {
      queue.submit(commands);
      if (--left === 0) device.destroy();
    };
    return replaced(device, 'queue', {
      submit,
      writeBuffer: (...args) => queue.writeBuffer(...args),
      onSubmittedWorkDone: () => queue.onSubmittedWorkDone(),
    });
  },
  /** Has no memory for what goes to it. */
  'gpu.memory'(device) {
    const createBuffer = device.createBuffer.bind(device);
    return replaced(device, 'createBuffer', (wanted) => {
      if (wanted.mappedAtCreation) throw new RangeError('no memory to map');
      return createBuffer(wanted);
    });
  },
  /** Takes no shader. */
  'gpu.shader'(device) {
    const createShaderModule = device.createShaderModule.bind(device);
    return replaced(device, 'createShaderModule', ({ code }) => createShaderModule({ code: `${code}\nwrong` }));
  },
  /** Takes small buffers alone. */
  'gpu.limit'(device) {
    const { maxComputeWorkgroupsPerDimension } = device.limits;
    const limits = { maxComputeWorkgroupsPerDimension, maxBufferSize: 4096, maxStorageBufferBindingSize: 4096 };
    return replaced(device, 'limits', limits);
  },
};

await import('cipherloom/graph-worker');
