/** The same on a GPU, in WGSL; and whether this worker has one. */
import type { MapFunction } from 'cipherloom/job';
import type { Picture } from './mandelbrot.js';

/** TypeScript's library has none. */
declare const GPUBufferUsage: Readonly<
  Record<'UNIFORM' | 'COPY_DST' | 'STORAGE' | 'COPY_SRC' | 'MAP_READ', number>
>;
declare const GPUMapMode: { readonly READ: number };

const SHADER = /* wgsl */ `
struct Picture { width: u32, dots: u32, most: u32, first: f32, left: f32, top: f32, step: f32 }
@group(0) @binding(0) var<uniform> picture: Picture;
@group(0) @binding(1) var<storage, read_write> dots: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let dot = id.x;
  if (dot >= picture.dots) { return; }
  let x = picture.left + f32(dot % picture.width) * picture.step;
  let y = picture.top + (picture.first + f32(dot / picture.width)) * picture.step;
  var z = vec2f(0.0, 0.0);
  var count = 0u;
  for (; count < picture.most; count++) {
    let squares = z * z;
    if (squares.x + squares.y > 4.0) { break; }
    z = vec2f(squares.x - squares.y + x, 2.0 * z.x * z.y + y);
  }
  dots[dot] = count;
}`;

interface Device {
  readonly device: GPUDevice;
  readonly pipeline: GPUComputePipeline;
}

let opened: Promise<Device> | undefined;

/** What GPU this worker has; an empty text for none. Asked in the worker, since that is where it is needed. */
export const probe: MapFunction = async () => {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) return '';
  const { vendor, architecture, description } = adapter.info;
  return description || [vendor, architecture].filter(Boolean).join(' ') || 'one without a name';
};

export const band: MapFunction = async ([, first], context) => {
  const picture = context.globals['picture']!.get('all') as unknown as Picture;
  const { device, pipeline } = await (opened ??= open());
  const { width, rows, left, top, step, most } = picture;
  const size = width * rows * 4;
  const { UNIFORM, COPY_DST, STORAGE, COPY_SRC, MAP_READ } = GPUBufferUsage;
  const settings = device.createBuffer({ size: 32, usage: UNIFORM | COPY_DST });
  const dots = device.createBuffer({ size, usage: STORAGE | COPY_SRC });
  const result = device.createBuffer({ size, usage: MAP_READ | COPY_DST });
  try {
    const bytes = new ArrayBuffer(32);
    new Uint32Array(bytes).set([width, width * rows, most]);
    new Float32Array(bytes).set([first as number, left, top, step], 3);
    device.queue.writeBuffer(settings, 0, bytes);
    const entries = [settings, dots].map((buffer, binding) => ({ binding, resource: { buffer } }));
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(Math.ceil((width * rows) / 64));
    pass.end();
    encoder.copyBufferToBuffer(dots, 0, result, 0, size);
    device.queue.submit([encoder.finish()]);
    await result.mapAsync(GPUMapMode.READ);
    return new Uint32Array(result.getMappedRange().slice(0));
  } finally {
    for (const buffer of [settings, dots, result]) buffer.destroy();
  }
};

async function open(): Promise<Device> {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) throw new Error('this worker has no GPU');
  const device = await adapter.requestDevice();
  const module = device.createShaderModule({ code: SHADER });
  const compute = { module, entryPoint: 'main' };
  return { device, pipeline: await device.createComputePipelineAsync({ layout: 'auto', compute }) };
}
