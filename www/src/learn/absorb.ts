/** Lesson: how an expansion leaves everything where it was, and who waits for whom. */
import { type Circuit, type Loom, type Operand, type } from 'cipherloom';
import * as format from '../format.js';
import type { GraphText } from '../graph/graph-text.js';
import type { Covered, Interval, OperatorSets, Outside } from '../graph/sets.js';
import { h } from '../ui/dom.js';
import { AbsorbView } from '../workbench/absorb-view.js';
import { type Made, Stages } from '../workbench/stages.js';
import { type Given, type Lesson, one, type Shown } from './lesson.js';
import { PRIMES } from './toy.js';
import { numbersTable, says } from './words.js';
// The strips of AbsorbView are those of the graph tab.
import '../workbench/workbench.css';

const N = 8;
const T = 257n;

/** −(c₀ + c₁ + ...) + c₀ on ciphertexts, and what it becomes step by step. */
export async function expansions(loom: Loom, terms: number, primes: number): Promise<readonly Circuit[]> {
  const g = loom.graph({ unit: 64 });
  const q = PRIMES[30].slice(0, primes);
  const ciphertext = type('ciphertext', { factor: 1, n: N, parts: 2, q, t: T });
  const inputs = Array.from({ length: terms }, (_, at) => g.input(`c${at}`, ciphertext));
  const sum = inputs.reduce((left: Operand, right) => g.op('rlwe.add', [left, right]));
  g.output('out', g.op('rlwe.add', [g.op('rlwe.negate', [sum]), inputs[0]!]));
  const circuits = [await g.build()];
  for (const _ of ['polynomials', 'limbs']) circuits.push(await circuits.at(-1)!.expand({ steps: 1 }));
  return circuits;
}

async function show(loom: Loom, given: Given): Promise<Shown> {
  const [terms, primes] = [Number(one(given, 'terms')), Number(one(given, 'primes'))];
  const stages = new Stages();
  const [written, polynomials, limbs] = (await expansions(loom, terms, primes)) as [
    Circuit,
    Circuit,
    Circuit,
  ];
  const first = stages.open(written, 64);
  const second = stages.add('Polynomials', polynomials, 'expand', first);
  const third = stages.add('Limbs', limbs, 'expand', second);
  const texts = await Promise.all([first, second, third].map((made) => made.text()));
  const sets = await Promise.all([first, second, third].map((made) => made.sets()));
  const analysis = await limbs.analyze();
  const absorbing = await Promise.all(
    [second, third].map((made, at) => absorbView(made, texts[at + 1]!, sets[at + 1]!)),
  );
  const path = Array.from(analysis.criticalPath, (op) => `${texts[2]!.type(op)} #${op}`);
  return {
    stops: [
      {
        title: 'A graph counts in units',
        body: [
          says(
            `Here a unit is a word of 64 bits. A ciphertext is two polynomials, each of ${format.plural(primes, 'limb')} of ${N} words: ${2 * primes * N} units. Every operand has its own units, [from, to), for good; who reads and who writes which units is all that the graph knows.`,
          ),
          textOf(texts[0]!),
          setsTable('sets', texts[0]!, sets[0]!),
        ],
      },
      {
        title: 'Who waits for whom',
        body: [
          says(
            'Nobody writes arrows down. An operator depends on those that write units that it reads (its dependency set), and notifies those that read units that it writes (its notification set). Both are found by a search in the sorted list of what is written.',
          ),
          setsTable('sets', texts[0]!, sets[0]!),
        ],
      },
      {
        title: 'Expand: absorb',
        body: [
          says(
            'An operator on ciphertexts becomes operators on their polynomials. What these write is put at the very units where the old result lay: the result is absorbed. Whoever read it reads the same units as before, and learns nothing of the change. Walk through the operators.',
          ),
          absorbing[0]!,
        ],
      },
      {
        title: 'And once more',
        body: [
          says(
            `Polynomials are made of limbs, one for each prime, and become operators on these: ${format.plural(limbs.operators, 'operator')} of the base set, which kernels compute.`,
          ),
          absorbing[1]!,
        ],
      },
      {
        title: 'Finer sets, more at once',
        body: [
          says(
            'The sets follow from the units again, and are finer now: a limb waits for the limbs of its own prime alone. What was one chain is several, side by side.',
          ),
          setsTable('sets', texts[2]!, sets[2]!),
        ],
      },
      {
        title: 'Waves',
        body: [
          says(
            'Operators that wait for nobody can run at once; then those that wait for these; and so on. The run does not keep to waves: each operator starts as soon as its last dependency has told it.',
          ),
          numbersTable('waves', {
            caption: 'Operators by wave',
            head: ['Wave', 'How many', 'Which'],
            rows: analysis.waves.map((wave, at) => [
              String(at),
              String(wave.length),
              Array.from(wave, (op) => `#${op}`).join(', '),
            ]),
          }),
          says(`A longest chain: ${path.join(' → ')}.`),
        ],
      },
    ],
    question: {
      text: 'How many operators of the last stage can run at the very beginning, waiting for nobody?',
      answer: BigInt(analysis.waves[0]!.length),
      why: `Those of wave 0, ${analysis.waves[0]!.length}: one for each limb of the first sum, of which there are two polynomials of ${primes}.`,
    },
    dispose: () => stages.clear(),
  };
}

/** The strips of what an expansion replaced; an operator that is asked for shows its sets below. */
async function absorbView(made: Made, text: GraphText, sets: OperatorSets): Promise<HTMLElement> {
  const strips = h('div', { class: 'absorb' });
  const chosen = h('div', { 'aria-live': 'polite' });
  const view = new AbsorbView(strips, (_, op) =>
    chosen.replaceChildren(setsTable('chosen', text, sets, [op])),
  );
  await view.show(made);
  return h('div', {}, strips, chosen);
}

function setsTable(
  name: string,
  text: GraphText,
  sets: OperatorSets,
  operators: readonly number[] = Array.from({ length: text.size }, (_, op) => op),
): HTMLElement {
  const nameOf = (op: number): string => `${text.type(op)} #${op}`;
  const list = (covered: readonly Covered[], outside: readonly Outside[] = []): string =>
    [
      ...covered.map(({ op, units }) => `#${op} ${unitsText(units)}`),
      ...outside.map(({ name: input, units }) => `${input ?? 'nobody'} ${unitsText(units)}`),
    ].join(', ') || '–';
  return numbersTable(name, {
    caption: 'Dependency and notification sets',
    head: ['Operator', 'Writes', 'Depends on', 'Notifies'],
    rows: operators.map((op) => [
      nameOf(op),
      unitsText(text.writes(op)),
      list(sets.dependencies(op), sets.inputs(op)),
      list(sets.notifications(op)),
    ]),
  });
}

function textOf(text: GraphText): HTMLElement {
  return h(
    'details',
    {},
    h('summary', {}, 'The graph as text'),
    h('pre', { class: 'learn-text scroll', tabindex: 0 }, text.text),
  );
}

function unitsText(units: readonly Interval[]): string {
  return units.map(([start, end]) => `[${start}, ${end})`).join(' + ');
}

export const ABSORB: Lesson = {
  id: 'graph',
  title: 'One graph: absorb and dependencies',
  lead: 'The package keeps a computation as one graph, and lowers it step by step. Here is how a step leaves everything else untouched, and how the order of work follows.',
  fields: [
    {
      kind: 'choice',
      name: 'terms',
      label: 'Ciphertexts',
      first: [2n],
      options: [2n, 3n, 4n].map((value) => ({ value, text: String(value) })),
    },
    {
      kind: 'choice',
      name: 'primes',
      label: 'Primes: a polynomial has a limb for each',
      first: [2n],
      options: [1n, 2n, 3n].map((value) => ({ value, text: String(value) })),
    },
  ],
  sources: [
    {
      text: 'Absorb, dependency and notification sets are this package’s own: ARCHITECTURE.md, “What holds it together”',
    },
  ],
  show,
};
