/** Settings in the page's address: never data, never keys. Wrong ones are left to the package to refuse. */
import type { CompileOptions, LoadOptions, SecurityLevel } from 'cipherloom';
import { type GpuUse, gpuUseOf } from './run/gpu-choice.js';

export interface Settings {
  readonly load: Pick<LoadOptions, 'mode' | 'threads'>;
  readonly compile: Pick<CompileOptions, 'security' | 'n' | 'allowInsecure'>;
  readonly gpu: GpuUse;
}

/** `?threads=1&mode=single&gpu=measured&security=standard-2018&bits=192&quantum=true&n=8192&insecure=true`, all optional. */
export function settingsOf(query: string): Settings {
  const parameters = new URLSearchParams(query);
  const number = (name: string): number | undefined => {
    const text = parameters.get(name);
    return text === null || text === '' ? undefined : Number(text);
  };
  // What is neither is left as it is, for the package to refuse.
  const flag = (name: string): boolean => {
    const text = parameters.get(name) || 'false';
    return text === 'true' || (text === 'false' ? false : (text as unknown as boolean));
  };
  const word = <T extends string>(name: string): T | undefined => (parameters.get(name) || undefined) as T;
  return {
    load: { mode: word('mode'), threads: number('threads') },
    compile: {
      security: level(word('security'), number('bits'), flag('quantum')),
      n: number('n'),
      allowInsecure: flag('insecure'),
    },
    gpu: gpuUseOf(parameters.get('gpu')),
  };
}

function level(
  table: SecurityLevel['table'],
  bits: number | undefined,
  quantum: boolean,
): CompileOptions['security'] {
  if (bits === undefined && !quantum) return table;
  return { table, bits: bits as SecurityLevel['bits'], quantum };
}

/** The address's query with one setting changed; an empty value takes it out. */
export function withSetting(query: string, name: string, value: string): string {
  const parameters = new URLSearchParams(query);
  if (value === '') parameters.delete(name);
  else parameters.set(name, value);
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
