// The layout tab's models: blocks and steps beside counts of our own, number by number; the known answers K-L10 and K-L11; questions that are wrong.
import {
  compile,
  countMoves,
  execute,
  LAYOUT_OPERATORS,
  machine,
  MODES,
  parseDynamic,
  type PortName,
  ruleStrategy,
  runPlan,
} from 'cipherloom/layout';
import { describe, expect, it } from 'vitest';
import { type Answer, answerOf, compare, LIMITS, type Wrong } from '../src/layout/answer.js';
import { gridOf, holdingsOf } from '../src/layout/blocks.js';
import { EXAMPLES, MACHINE_TEXTS, usualQuestion } from '../src/layout/examples.js';
import { floorPlan } from '../src/layout/floor-plan.js';
import { fill, OPERATORS, plainly } from '../src/layout/plain.js';
import { hashOf, PORTS, type Question, questionOf } from '../src/layout/question.js';
import { walk } from '../src/layout/walk.js';

function answered(question: Question): Answer {
  const reply = answerOf(question);
  if ('code' in reply) throw new Error(`${reply.field}: ${reply.sentence}`);
  return reply;
}

function refused(change: Partial<Question>): Wrong {
  const reply = answerOf({ ...EXAMPLES.caches!.question, ...change });
  if (!('code' in reply)) throw new Error('it was answered');
  return reply;
}

/** Numbers that come in one order, the same every time. */
function* draws(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

/** Questions of all sorts: sizes, machines, modes. */
function questions(count: number): Question[] {
  const random = draws(7);
  const upTo = (most: number): number => 1 + Math.floor(random.next().value! * most);
  const one = <T>(of: readonly T[]): T => of[upTo(of.length) - 1]!;
  return Array.from({ length: count }, (): Question => {
    const operator = one(Object.keys(OPERATORS));
    const usual = usualQuestion(operator);
    const clusters = Array.from({ length: upTo(3) }, () => ({ cores: upTo(5), cache: upTo(2) === 1 }));
    const description = { clusters, memories: upTo(3), tile: one([1, 1, 4]), cacheLink: upTo(2) === 1 };
    const [n, c, f, side] = [upTo(9), upTo(20), upTo(9), 3 + upTo(7)];
    const each = `dim_NCW, {${n} ${c} ${side}}`;
    const [input, weight] =
      operator === 'mlp'
        ? [`dim_NC, {${n} ${c}}`, `dim_CN, {${c} ${f}}`]
        : operator === 'conv2d'
          ? [`dim_NCHW, {${n} 2 ${side} ${side}}`, `dim_NCHW, {${f} 2 3 2}`]
          : [each, each];
    const labels: Question['labels'] = {
      'input-static': `static: in, float32, ${input}`,
      ...(OPERATORS[operator]!.operands === 2 ? { 'weight-static': `static: iw, float32, ${weight}` } : {}),
    };
    const machineText = JSON.stringify(description);
    return {
      ...usual,
      labels,
      machine: machineText,
      mode: one(MODES),
      strategy: one(['table', 'rule', 'learned']),
    };
  });
}

describe('blocks', () => {
  it('have the owners and the padding that the label’s text says, number by number', () => {
    let seen = 0;
    for (const question of questions(60)) {
      const reply = answerOf(question);
      if ('code' in reply) continue; // such as a tile that no output of this size has
      const { labelled, plan, texts } = reply;
      const cores = plan.machine.clusterOf.length;
      for (const port of PORTS) {
        const text = texts[`${port}-dynamic`];
        const pair = labelled[port];
        if (text === undefined || pair === undefined) continue;
        seen++;
        // Read off the text, by hand.
        const [, letter = '', list = ''] = /, ([A-Z])\[(.*?)\]/.exec(text)!;
        const ranges = [...list.matchAll(/\((\d+),(\d+)\)/g)].map(([, from, to]) => [
          Number(from),
          Number(to),
        ]);
        const filled = new Map(
          [...text.split(', ')[3]!.matchAll(/([A-Z])=(\d+)/g)].map(([, d, k]) => [d!, Number(k)]),
        );
        const [, names = '', numbers = ''] = /dim_([A-Z]+), \{(.*)\}/.exec(texts[`${port}-static`]!)!;
        const own = new Map(numbers.split(' ').map((size, index) => [names[index]!, Number(size)]));
        const expected = new Map<string, number>();
        const visit = (at: Record<string, number>, rest: string): void => {
          if (rest === '') {
            const part = ranges.findIndex(([from, to]) => from! <= at[letter]! && at[letter]! <= to!);
            const core = Math.floor((part * cores) / ranges.length);
            const padding = [...own].some(([name, size]) => at[name]! >= size);
            const key = `${core} ${padding}`;
            expected.set(key, (expected.get(key) ?? 0) + 1);
            return;
          }
          const name = rest[0]!;
          for (let k = 0; k < own.get(name)! + (filled.get(name) ?? 0); k++)
            visit({ ...at, [name]: k }, rest.slice(1));
        };
        visit({}, names);
        const found = new Map<string, number>();
        for (const { blocks } of gridOf(pair, plan.machine).slabs)
          for (const { core, padding, numbers: count } of blocks)
            found.set(`${core} ${padding}`, (found.get(`${core} ${padding}`) ?? 0) + count);
        expect([...found].sort(), text).toEqual([...expected].sort());
        const held = new Map<string, number>();
        for (const { core, numbers: all, padding } of holdingsOf(pair, plan.machine))
          for (const [key, count] of [
            [`${core} false`, all - padding],
            [`${core} true`, padding],
          ] as const)
            if (count > 0) held.set(key, (held.get(key) ?? 0) + count);
        expect([...held].sort(), text).toEqual([...expected].sort());
      }
    }
    expect(seen).toBeGreaterThan(80);
  });

  it('are few where there are many numbers, and outline tiles', () => {
    const { labelled, plan } = answered(EXAMPLES.caches!.question);
    const { x, y, slabs } = gridOf(labelled.weight!, plan.machine);
    expect(x.runs.map(({ from, to, part, padding, tileEnd }) => [from, to, part, padding, tileEnd])).toEqual([
      [0, 256, 0, false, false],
      [256, 512, 1, false, true],
      [512, 768, 2, false, false],
      [768, 1000, 3, false, false],
      [1000, 1024, 3, true, true],
    ]);
    expect([y?.dimension, y?.single, slabs.length, slabs[0]?.blocks.length]).toEqual(['N', true, 1, 20]);
  });
});

describe('the walk', () => {
  it('moves what the plan’s counts say, and nothing that was not there', () => {
    for (const question of questions(60)) {
      const reply = answerOf(question);
      if ('code' in reply) continue;
      const { plan, pieces } = reply;
      const stops = walk(plan, (name) => pieces[name]!.bytes);
      const bytes: Record<string, number> = {};
      for (const [at, { moves }] of stops.entries())
        for (const { level, bytes: count, way, place, from, core, datum } of moves) {
          bytes[level] = (bytes[level] ?? 0) + count;
          const name = datum.replace(/\[.*$/, '');
          if (way === 'read')
            expect(
              stops[at - 1]!.held.get(place)?.some((held) => held.name === name),
              datum,
            ).toBe(true);
          // Levels, by who is concerned: nobody else, the own cluster, another one.
          const { clusterOf } = plan.machine;
          const near = clusterOf[from] === clusterOf[core];
          if (way === 'read')
            expect(level).toBe(
              from === core ? 'no' : near ? 'core' : place.startsWith('mem') ? 'memory' : 'cluster',
            );
        }
      const { access, core, cluster, memory } = countMoves(plan);
      expect([bytes.no ?? 0, bytes.core ?? 0, bytes.cluster ?? 0, bytes.memory ?? 0]).toEqual(
        [access, core, cluster, memory].map((moved) => moved.bytes),
      );
    }
  });

  it('ends with what the simulator has in its places', () => {
    const { labelled, pieces } = answered({ ...usualQuestion('mlp'), mode: 'hybrid' });
    const plan = compile(labelled);
    const { simulation } = runPlan(plan, labelled, {
      input: fill('input', labelled.input.static, 'whole'),
      weight: fill('weight', labelled.weight!.static, 'whole'),
    });
    const held = walk(plan, (name) => pieces[name]!.bytes).at(-1)!.held;
    for (const [place, data] of simulation.places)
      expect(
        held
          .get(place)
          ?.map(({ name, bytes }) => [name, bytes])
          .sort(),
      ).toEqual([...data].map(([name, { values }]) => [name, values.length * 4]).sort());
  });
});

describe('plain loops', () => {
  it('know every operator of the package', () => {
    expect(Object.keys(OPERATORS)).toEqual(LAYOUT_OPERATORS);
  });

  it.each(LAYOUT_OPERATORS)('%s: one core that cuts nothing gives the same bits', (name) => {
    const { labels, attributes } = usualQuestion(name);
    for (const type of ['float32', 'float16', 'int8'] as const) {
      const on = machine({ clusters: [{ cores: 1 }], type });
      const { labelled } = answered({
        ...usualQuestion(name),
        machine: JSON.stringify(on.clusterOf && { clusters: [{ cores: 1 }], type }),
      });
      const input = fill('input', labelled.input.static, 'fractions');
      const weight =
        labels['weight-static'] === undefined
          ? undefined
          : fill('weight', labelled.weight!.static, 'fractions');
      const { output } = execute(name, { input, weight }, on, { attributes, strategy: ruleStrategy });
      const plain = plainly(name, attributes, input, weight, type, labelled.output.static);
      expect(compare(output.values, plain).different).toBe(0);
    }
  });

  it('tell bits apart', () => {
    const of = (...values: number[]): Float64Array => Float64Array.from(values);
    expect(compare(of(0, NaN, 1), of(-0, NaN, 1))).toMatchObject({ numbers: 3, different: 1, most: 0 });
    expect(compare(of(1, 2), of(1.5, 2))).toMatchObject({ different: 1, most: 0.5 });
  });
});

describe('known answers', () => {
  it.each([
    ['caches', ['cluster1', 'cluster2', 'cluster2'], 'cluster'],
    ['buses', ['mem1', 'mem2', 'mem2'], 'memory'],
  ] as const)('%s', (name, places, far) => {
    const question: Question = { ...EXAMPLES[name]!.question, numbers: 'count' };
    const { pieces, plan, modes, texts } = answered(question);
    expect(texts['weight-dynamic']).toBe(
      'dynamic: float16, dim_NC, C=512, C=24, 8192 B, C[(0,255),(256,511),(512,767),(768,1023)], mem, no',
    );
    expect([1, 4, 5, 6, 7].map((k) => pieces[`o${k}`]!.first)).toEqual([
      [256, 512, 768, 1024],
      [232, 464, 696, 928],
      [512, 1024, 1536, 2048],
      [488, 976, 1464, 1952],
      [1000, 2000, 3000, 4000],
    ]);
    const moves = walk(plan, () => 8).flatMap((stop) => stop.moves);
    const exchanged = moves.filter(({ level }) => level !== 'no');
    expect(
      exchanged.map(({ from, core, datum, place, bytes, level }) => [from, core, datum, place, bytes, level]),
    ).toEqual([
      [1, 0, 'o2', places[0], 8, 'core'],
      [3, 2, 'o4', places[1], 8, 'core'],
      [2, 0, 'o6', places[2], 8, far],
    ]);
    const whole = answered(EXAMPLES[name]!.question);
    expect(whole.output).toEqual([5, 1, 7, -7]);
    for (const answer of [whole.modes, modes]) expect(answer.map(({ mode }) => mode)).toEqual(MODES);
    expect(whole.modes.map((row) => 'verdict' in row && row.verdict.different)).toEqual([0, 0, 0]);
    // Plain sums of 1,000 threes lose bits in float16, where those of parts do not.
    expect(modes[0]).toMatchObject({ verdict: { different: 1, off: { result: 0 } } });
  });
});

describe('questions that are wrong', () => {
  const label = (port: PortName, from: string | RegExp, to: string): Partial<Question> => {
    const { labels, texts } = {
      labels: EXAMPLES.caches!.question.labels,
      texts: answered(EXAMPLES.caches!.question).texts,
    };
    return { labels: { ...labels, [`${port}-dynamic`]: texts[`${port}-dynamic`]!.replace(from, to) } };
  };
  it.each<[string, Partial<Question>, Wrong['field'], string, RegExp]>([
    ['no JSON', { machine: '{' }, 'machine', 'layout.machine', /This is no JSON/],
    ['no machine', { machine: '{"clusters": []}' }, 'machine', 'layout.machine', /1 to 4096 clusters/],
    ['an unknown name', { machine: '{"cluster": 1}' }, 'machine', 'layout.machine', /"cluster"/],
    [
      'many cores',
      { machine: '{"clusters": [{"cores": 65}]}' },
      'machine',
      'page.limit',
      /65 cores; this tab draws 64/,
    ],
    [
      'no static label',
      { labels: { 'input-static': 'x', 'weight-static': 'y' } },
      'input-static',
      'layout.text',
      /"static:" first/,
    ],
    [
      'too many numbers',
      { labels: { 'input-static': `static: in, float32, dim_NC, {1 ${LIMITS.numbers + 1}}` } },
      'input-static',
      'page.limit',
      /this tab computes with up to/,
    ],
    [
      'no operand',
      { labels: { 'input-static': 'static: in, float32, dim_NC, {1 4}' } },
      'question',
      'layout.operands',
      /no weight/,
    ],
    ['wrong bytes', label('weight', '8192 B', '8190 B'), 'weight-dynamic', 'layout.label', /8190 bytes/],
    ['a gap', label('input', '(256,511)', '(257,511)'), 'input-dynamic', 'layout.split', /leaves out 256/],
    ['no field', label('input', ', mem', ''), 'input-dynamic', 'layout.text', /7 fields/],
    ['no place', label('input', ', mem,', ', mem3,'), 'input-dynamic', 'layout.storage', /"mem3"/],
    [
      'an output that is not cut so',
      label('output', 'C[(0,3)]', 'C[(0,1),(2,3)]'),
      'output-dynamic',
      'layout.operands',
      /inputs are not cut so/,
    ],
  ])('%s', (_, change, field, code, words) => {
    const wrong = refused(change);
    expect([wrong.field, wrong.code]).toEqual([field, code]);
    expect(wrong.sentence).toMatch(words);
  });

  it('too much work is refused before it is done', () => {
    const labels = {
      'input-static': 'static: in, float32, dim_NC, {512 512}',
      'weight-static': 'static: iw, float32, dim_CN, {512 512}',
    };
    expect(answerOf({ ...usualQuestion('mlp'), labels })).toMatchObject({
      field: 'question',
      code: 'page.limit',
    });
    const parts = Array.from({ length: 65 }, (_, k) => `(${k},${k})`).join(',');
    expect(
      answerOf({
        ...usualQuestion('relu'),
        machine: MACHINE_TEXTS.smp!,
        labels: {
          'input-static': 'static: in, float32, dim_C, {65}',
          'input-dynamic': `dynamic: float32, dim_C, -, -, 260 B, C[${parts}], mem, no`,
        },
      }),
    ).toMatchObject({ code: 'page.limit' });
  });

  it('a label that was edited moves the part', () => {
    const { labelled, texts, plan } = answered({
      ...EXAMPLES.caches!.question,
      ...label('input', /C\[.*\]/, 'C[(0,511),(512,767),(768,895),(896,1023)]'),
      labels: {
        ...label('input', /C\[.*\]/, 'C[(0,511),(512,767),(768,895),(896,1023)]').labels,
        'weight-dynamic':
          'dynamic: float16, dim_NC, C=512, C=24, 8192 B, C[(0,511),(512,767),(768,895),(896,1023)], mem, no',
      },
    });
    expect(parseDynamic(texts['input-dynamic']!)).toEqual(labelled.input.dynamic);
    expect(holdingsOf(labelled.input, plan.machine).map(({ numbers }) => numbers)).toEqual([
      512, 256, 128, 128,
    ]);
  });
});

describe('addresses', () => {
  it('bring the same question', () => {
    for (const question of [...questions(20), ...Object.values(EXAMPLES).map((one) => one.question)]) {
      const hash = hashOf(question, MACHINE_TEXTS);
      expect(questionOf(hash, MACHINE_TEXTS, usualQuestion)).toEqual(question);
    }
    expect(questionOf('#layout', MACHINE_TEXTS, usualQuestion)).toBeUndefined();
    expect(questionOf('#graph?operator=mlp', MACHINE_TEXTS, usualQuestion)).toBeUndefined();
  });

  it('that were changed do no harm', () => {
    for (const text of [
      'operator=constructor',
      'operator=mlp&mode=x&strategy=__proto__&numbers=',
      'machine=toString',
      'operator=conv2d&padding=1e99',
    ]) {
      const question = questionOf(`#layout?${text}`, MACHINE_TEXTS, usualQuestion)!;
      const reply = answerOf(question);
      expect('code' in reply ? reply.code : 'answered').toMatch(/^(answered|layout\.\w+|page\.limit)$/);
    }
  });
});

describe('the floor plan', () => {
  it('has a box for each place, none over another, within the width', () => {
    for (const width of [250, 330, 660, 1100])
      for (const cores of [1, 2, 7, 16]) {
        const clusters = [
          { cores, cache: true },
          { cores: 2, cache: false },
          { cores: 1, cache: true },
        ];
        const on = machine({ clusters, memories: 5 });
        const plan = floorPlan(on, width);
        expect(plan.places.size).toBe(cores + 3 + 2 + 5);
        const boxes = [...plan.places];
        for (const [place, box] of boxes) {
          expect(box.x >= 0 && box.x + box.width <= Math.max(width, plan.width) + 0.01, place).toBe(true);
          expect(box.y + box.height, place).toBeLessThanOrEqual(plan.height);
          for (const [other, against] of boxes)
            if (other !== place)
              expect(
                box.x + box.width <= against.x ||
                  against.x + against.width <= box.x ||
                  box.y + box.height <= against.y ||
                  against.y + against.height <= box.y,
                `${place} over ${other}`,
              ).toBe(true);
        }
        expect(plan.width).toBeLessThanOrEqual(width);
      }
  });
});
