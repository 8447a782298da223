// Where the browsers and the driver that the tests use are.
import { find } from './run.mjs';

const BROWSERS = {
  chromium: { variable: 'CHROME', names: ['chromium', 'google-chrome', 'chromium-browser'], debianPackage: 'chromium' },
  chromedriver: { variable: 'CHROMEDRIVER', names: ['chromedriver'], debianPackage: 'chromium-driver' },
  firefox: { variable: 'FIREFOX', names: ['firefox-esr', 'firefox'], debianPackage: 'firefox-esr' },
};

/** Path (null where it is missing) and Debian package of each; an environment variable has the first word. */
export function browsers() {
  const locate = ({ variable, names, debianPackage }) => {
    const path = process.env[variable] ?? names.map((name) => find(name)).find(Boolean) ?? null;
    return { path, debianPackage };
  };
  return Object.fromEntries(Object.entries(BROWSERS).map(([name, entry]) => [name, locate(entry)]));
}

/** How the tests start Chromium: no window, no sandbox (it needs rights that root and containers lack), no calls home. */
const ALWAYS = [
  '--headless',
  '--no-sandbox',
  '--disable-quic',
  '--no-first-run',
  '--disable-sync',
  '--disable-background-networking',
  '--disable-component-update',
];

/** Without any GPU. */
export const CHROMIUM_ARGS = [...ALWAYS, '--disable-gpu'];

/** With WebGPU on the GPU that Chromium computes itself, on the processor. */
export const CHROMIUM_GPU_ARGS = [...ALWAYS, '--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];
