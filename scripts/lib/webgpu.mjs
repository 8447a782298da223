// What Node's tests of a GPU run on: the npm package `webgpu` (Dawn), and SwiftShader, the GPU that Chromium computes on the processor.
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { browsers } from './browsers.mjs';
import { TOOLS } from './toolchain.mjs';

const RELEASE = '0.6.2';
/** Its file in a folder of Chromium, beside the loader of Vulkan. */
const DRIVER = 'vk_swiftshader_icd.json';
/** Where the wrapper scripts of distributions start it. */
const FOLDERS = ['/usr/lib/chromium', '/usr/lib/chromium-browser', '/opt/google/chrome'];

/**
 * The package with its folder (null where it is not installed) and the npm arguments that install it. Not in package.json: it has 132 MB, and whoever has
 * no GPU needs none of them. Its script after installing only helps on other systems.
 */
export function webgpu() {
  const prefix = join(TOOLS, `webgpu-${RELEASE}`);
  const folder = join(prefix, 'node_modules', 'webgpu');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
  const install = ['install', '--prefix', prefix, ...options, `webgpu@${RELEASE}`];
  return { release: RELEASE, folder: existsSync(folder) ? folder : null, install, reason: unfit() };
}

/** The environment in which Vulkan finds SwiftShader alone; null where there is none. */
export function swiftshader() {
  const { path } = browsers().chromium;
  const folders = [...(path ? [dirname(realpathSync(path))] : []), ...FOLDERS];
  const folder = folders.find((name) => existsSync(join(name, DRIVER)));
  if (folder === undefined) return null;
  const driver = join(folder, DRIVER);
  // Two generations of the loader have two names for it.
  return { VK_ICD_FILENAMES: driver, VK_DRIVER_FILES: driver, LD_LIBRARY_PATH: folder };
}

/** Why it cannot be tried on this machine, if so. */
function unfit() {
  return process.platform === 'linux' ? null : `SwiftShader is found on Linux alone; this is ${process.platform}`;
}
