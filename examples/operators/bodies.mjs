// One step of bodies that attract each other, a band of them at a time: what examples/gpu.mjs maps. A global `bodies` has x, y, z, mass of each,
// as 32-bit floats. Gives the velocities that the band's bodies gain in the step.

/** Keeps bodies that meet apart. */
export const SOFTENING = 0.01;

/** The same on a GPU: in operators/bodies-gpu.mjs. */
export function step([, first], { globals }) {
  const { bodies, band, time } = globals.world.get('now');
  const gained = new Float32Array(3 * band);
  for (let own = 0; own < band; own++) {
    const at = 4 * (first + own);
    let [x, y, z] = [0, 0, 0];
    for (let other = 0; other < bodies.length; other += 4) {
      const [dx, dy, dz] = [
        bodies[other] - bodies[at],
        bodies[other + 1] - bodies[at + 1],
        bodies[other + 2] - bodies[at + 2],
      ];
      const squared = dx * dx + dy * dy + dz * dz + SOFTENING;
      const pull = bodies[other + 3] / (squared * Math.sqrt(squared));
      x += dx * pull;
      y += dy * pull;
      z += dz * pull;
    }
    gained.set([time * x, time * y, time * z], 3 * own);
  }
  return gained;
}
