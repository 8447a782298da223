/** Machines and questions to begin with. */
import { deviceMachine, type MachineDescription } from 'cipherloom/layout';
import { OPERATORS } from './plain.js';
import type { LabelField, Question } from './question.js';

const clusters = (count: number, cores: number, cache: boolean): MachineDescription['clusters'] =>
  Array.from({ length: count }, () => ({ cores, cache }));
const HALF = {
  memories: 2,
  type: 'float16',
  order: 'NC',
  tile: { in: 256, iw: 512, on: 4 },
} as const;

/** JSON with a line for each cluster. */
function written(description: MachineDescription): string {
  return JSON.stringify(description, null, 2).replace(/\{[^{}[\]]*\}/g, (leaf) => leaf.replace(/\s+/g, ' '));
}

/** Most cores that the tab draws. */
export const MOST_CORES = 64;

function device(): MachineDescription {
  const { name, architecture, memories, clusters } = deviceMachine().machine;
  return {
    name,
    architecture,
    memories,
    clusters: clusters.map(({ cores }) => ({ cores: Math.min(cores, MOST_CORES) })),
  };
}

/** What is chosen from, by name. */
export const MACHINES: Readonly<Record<string, { readonly title: string; readonly text: string }>> =
  Object.fromEntries(
    Object.entries<[string, MachineDescription]>({
      device: ['This device: one cluster, one memory', device()],
      caches: [
        'Two clusters with caches (NUMA)',
        { name: 'machine 1', ...HALF, clusters: clusters(2, 2, true) },
      ],
      buses: [
        'The same without caches (NUMA)',
        { name: 'machine 2', ...HALF, clusters: clusters(2, 2, false) },
      ],
      smp: [
        'Four cores over one memory (SMP)',
        { name: 'SMP', architecture: 'smp', memories: 1, clusters: clusters(1, 4, false) },
      ],
      numa: [
        'Four clusters of two, tiles of eight (NUMA)',
        { name: 'four clusters', memories: 4, clusters: clusters(4, 2, true), tile: 8 },
      ],
      apart: [
        'Caches that no other cluster reads (NUMA)',
        { name: 'no link', memories: 2, clusters: clusters(2, 2, true), cacheLink: false },
      ],
    }).map(([name, [title, description]]) => [
      name,
      {
        title,
        text: written(description),
      },
    ]),
  );

/** Their texts by name. */
export const MACHINE_TEXTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(MACHINES).map(([name, { text }]) => [name, text]),
);

/** A question about an operator, with what is usual for it; about the first one, where there is none of the name. */
export function usualQuestion(name: string | null): Question {
  const operator = name !== null && Object.hasOwn(OPERATORS, name) ? name : 'mlp';
  const { attributes, labels } = OPERATORS[operator]!;
  const fields = { 'input-static': labels[0]!, 'weight-static': labels[1] };
  return {
    operator,
    attributes: Object.fromEntries(Object.entries(attributes).map(([key, { usual }]) => [key, usual])),
    labels: Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== undefined)) as Partial<
      Record<LabelField, string>
    >,
    machine: MACHINE_TEXTS.numa!,
    strategy: 'table',
    mode: 'model',
    numbers: 'whole',
  };
}

const SEED: Question = {
  ...usualQuestion('mlp'),
  labels: {
    'input-static': 'static: in, float32, dim_NC, {1 1024}',
    'weight-static': 'static: iw, float32, dim_CN, {1000 4}',
  },
  machine: MACHINE_TEXTS.caches!,
};

/** Worked examples. */
export const EXAMPLES: Readonly<Record<string, { readonly title: string; readonly question: Question }>> = {
  caches: { title: 'A layer over two clusters with caches', question: SEED },
  buses: { title: 'The same layer without caches', question: { ...SEED, machine: MACHINE_TEXTS.buses! } },
  ring: {
    title: 'Items stay, weights go round in a ring',
    question: { ...usualQuestion('mlp'), mode: 'data' },
  },
  rows: {
    title: 'Rows of pictures, with a rim of neighbours',
    question: { ...usualQuestion('conv2d'), machine: MACHINE_TEXTS.apart!, strategy: 'rule' },
  },
  batch: {
    title: 'Three dimensions, element by element, on this device',
    question: { ...usualQuestion('relu'), machine: MACHINE_TEXTS.device! },
  },
};
