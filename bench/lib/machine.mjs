// What a figure is worth nothing without: the processor, the kind of machine, and how busy it was.
import { existsSync, readFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';

/** { processor, kind, cores, memoryGB, system, load }; the load is that of the last minute. */
export function machine() {
  const text = existsSync('/proc/cpuinfo') ? readFileSync('/proc/cpuinfo', 'utf8') : '';
  const field = (name) => text.match(new RegExp(`^${name}\\s*: (.*)$`, 'm'))?.[1];
  const [{ model, speed }] = cpus();
  const megahertz = field('cpu MHz') ?? speed;
  // Hosts that rent out machines leave the model out of the name; family and model number tell which one it is.
  const numbers = field('cpu family') && `family ${field('cpu family')} model ${field('model')}`;
  return {
    processor: [model.trim(), numbers, megahertz && `${(megahertz / 1000).toFixed(1)} GHz`].filter(Boolean).join(', '),
    kind: / hypervisor\b/.test(field('flags') ?? '') ? 'virtual machine' : 'no virtual machine that shows',
    cores: cpus().length,
    memoryGB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${process.arch}`,
    load: Math.round(loadavg()[0] * 10) / 10,
  };
}
