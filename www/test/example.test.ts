// The example of the page, compiled: what the page shows of it is all of it.
import { load, type Loom, type Program, STAGES } from 'cipherloom';
import { columnOptions, parseTable } from 'cipherloom/table';
import { afterAll, beforeAll, expect, test } from 'vitest';
import csv from '../../data/breast-cancer-wisconsin.csv?raw';
import { SAMPLE_COLUMNS } from '../src/data/sample.js';
import { kindOf } from '../src/graph/kinds.js';
import { type Group, openDownTo, Openings, openTo, pictureOf } from '../src/graph/picture.js';
import { stopsOf } from '../src/graph/program-stops.js';
import { nodeId, type StagedGraphs } from '../src/graph/staged-graphs.js';
import { COLUMN_STATISTICS, fillTask, PAIR_STATISTICS } from '../src/selection.js';

let loom: Loom;
let program: Program;
const BASE = STAGES.indexOf('base');
let graphs: StagedGraphs;

beforeAll(async () => {
  const table = parseTable(csv);
  loom = await load({ mode: 'single' });
  const task = loom.task();
  fillTask(task, {
    columns: SAMPLE_COLUMNS.map((name) => ({ name, ...columnOptions(table.column(name)) })),
    statistics: [...COLUMN_STATISTICS, ...PAIR_STATISTICS],
  });
  program = await task.compile();
  ({ graphs } = stopsOf(program)[0]!);
  await graphs.load(BASE);
}, 60_000);

afterAll(() => loom?.dispose());

/** All groups, from the outermost. */
function groups(group: Group): Group[] {
  const inner = group.items.flatMap((item) => (item.kind === 'operator' && item.inner ? [item.inner] : []));
  return [group, ...inner.flatMap(groups)];
}

const nodesOf = (group: Group): number[] =>
  group.items.flatMap((item) => (item.kind === 'operator' ? [item.node] : []));

test('every operator of every stage is of a kind', () => {
  const types = program.stats().flatMap(({ byType }) => Object.keys(byType));
  expect(types.length).toBeGreaterThan(10);
  expect(types.filter((type) => kindOf(type) === 'other')).toEqual([]);
});

test('every operator of every stage can be reached in the picture', () => {
  for (const [stage] of STAGES.entries()) {
    expect(graphs.at(stage)!.size).toBeGreaterThan(0);
    for (let op = 0; op < graphs.at(stage)!.size; op++) {
      const openings = new Openings();
      openTo(nodeId(stage, op), graphs, openings);
      const shown = groups(pictureOf(graphs, openings)).flatMap(nodesOf);
      expect(shown, `${STAGES[stage]} ${op}`).toContain(nodeId(stage, op));
    }
  }
});

test('what joins all outputs stands beside the task from the scheme on', () => {
  const roots = (stage: number): string[] => {
    const openings = new Openings();
    openDownTo(stage, graphs, openings);
    return nodesOf(pictureOf(graphs, openings)).map((node) => graphs.type(node));
  };
  expect(roots(0)).not.toContain('bfv.pack_slots');
  for (const stage of [1, 2, BASE]) expect(roots(stage)).toContain('bfv.pack_slots');
});

test('only groups of several parts name other parts', () => {
  for (const [stage] of STAGES.entries()) {
    const openings = new Openings();
    openDownTo(stage, graphs, openings);
    for (const { items, pages } of groups(pictureOf(graphs, openings))) {
      if (pages === 1) expect(items.map((item) => 'text' in item && item.text)).not.toContain('other parts');
    }
  }
});
