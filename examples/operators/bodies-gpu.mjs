// The step of operators/bodies.mjs on a GPU, in WGSL: in a page by the browser's WebGPU, in Node by the package `webgpu`.
import { SOFTENING } from './bodies.mjs';

const SHADER = /* wgsl */ `
struct Band { first: u32, count: u32, time: f32 }
@group(0) @binding(0) var<uniform> band: Band;
@group(0) @binding(1) var<storage, read> bodies: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> gained: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let own = id.x;
  if (own >= band.count) { return; }
  let place = bodies[band.first + own].xyz;
  var sum = vec3f(0.0);
  for (var other = 0u; other < arrayLength(&bodies); other++) {
    let towards = bodies[other].xyz - place;
    let squared = dot(towards, towards) + ${SOFTENING};
    sum += towards * (bodies[other].w / (squared * sqrt(squared)));
  }
  for (var at = 0u; at < 3u; at++) { gained[3u * own + at] = band.time * sum[at]; }
}`;
// Usages of buffers and modes of mapping, by the specification; pages have them by name, Node does not.
const [MAP_READ, COPY_SRC, COPY_DST, UNIFORM, STORAGE, READ] = [1, 4, 8, 64, 128, 1];

let opened;
async function open() {
  const gpu = globalThis.navigator?.gpu ?? (await import('webgpu')).create([]);
  const device = await (await gpu.requestAdapter()).requestDevice();
  const module = device.createShaderModule({ code: SHADER });
  const pipeline = await device.createComputePipelineAsync({
    layout: 'auto',
    compute: { module, entryPoint: 'main' },
  });
  // The package's object has to live as long as what it made.
  return { gpu, device, pipeline };
}

export async function step([, first], { globals }) {
  const { bodies, band, time } = globals.world.get('now');
  const { device, pipeline } = await (opened ??= open());
  const size = 12 * band;
  const buffer = (bytes, usage) => device.createBuffer({ size: bytes, usage });
  const settings = buffer(16, UNIFORM | COPY_DST);
  const all = buffer(bodies.byteLength, STORAGE | COPY_DST);
  const gained = buffer(size, STORAGE | COPY_SRC);
  const back = buffer(size, MAP_READ | COPY_DST);
  const told = new ArrayBuffer(16);
  new Uint32Array(told).set([first, band]);
  new Float32Array(told).set([time], 2);
  device.queue.writeBuffer(settings, 0, told);
  device.queue.writeBuffer(all, 0, bodies);
  const entries = [settings, all, gained].map((buffer, binding) => ({ binding, resource: { buffer } }));
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(Math.ceil(band / 64));
  pass.end();
  encoder.copyBufferToBuffer(gained, 0, back, 0, size);
  device.queue.submit([encoder.finish()]);
  await back.mapAsync(READ);
  const result = new Float32Array(back.getMappedRange().slice(0));
  for (const one of [settings, all, gained, back]) one.destroy();
  return result;
}
