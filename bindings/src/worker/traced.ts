/** Jobs whose operators may be traced. */
import type { RawCircuitJob, RawDeviceJob, RawJob } from '../raw.js';
import type { PlacementTrace } from '../types.js';
import type { Traced } from './protocol.js';
import { type Call, Moved } from './serve.js';

/** Runs a job to its end; `take` takes its result. */
export function traced<T>(
  call: Call,
  job: RawJob | RawDeviceJob | RawCircuitJob,
  trace: boolean,
  take: () => Moved<T>,
  placement?: PlacementTrace,
): Promise<Moved<Traced<T>>> {
  job.setTrace(trace);
  return call.finish(job, (gpu) => {
    const told = trace ? { ...job.trace(), gpu, placement } : undefined;
    const { value, transfer } = take();
    const tables = Object.values(told ?? {}).filter((table) => ArrayBuffer.isView(table));
    return new Moved({ result: value, trace: told }, [...transfer, ...tables.map(({ buffer }) => buffer)]);
  });
}
