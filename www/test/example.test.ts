// The example of the page, compiled: what the page shows of it is all of it.
import { load, type Loom, type Program, type ProgramStats } from 'cipherloom';
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
let stats: ProgramStats;
/** What lowers the question to what runs; the finish stands apart. */
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
  stats = await program.stats();
  ({ graphs } = stopsOf(program, stats)[0]!);
  await graphs.load(graphs.last);
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
  const types = stats.stages.flatMap(({ byType }) => Object.keys(byType));
  expect(types.length).toBeGreaterThan(10);
  expect(types.filter((type) => kindOf(type) === 'other')).toEqual([]);
});

test('every operator of every stage can be reached in the picture', () => {
  for (let stage = 0; stage <= graphs.last; stage++) {
    expect(graphs.at(stage)!.size).toBeGreaterThan(0);
    for (let op = 0; op < graphs.at(stage)!.size; op++) {
      const openings = new Openings();
      openTo(nodeId(stage, op), graphs, openings);
      const shown = groups(pictureOf(graphs, openings)).flatMap(nodesOf);
      expect(shown, `${graphs.name(stage)} ${op}`).toContain(nodeId(stage, op));
    }
  }
});

test('the finish is a stop of its own', async () => {
  const stops = stopsOf(program, stats);
  expect(stops.map(({ id }) => id)).toEqual(stats.stages.map(({ stage }) => stage));
  const finish = stops.find(({ id }) => id === 'finish')!;
  await finish.graphs.load(finish.stage);
  expect(finish.graphs.at(finish.stage)!.size).toBe(finish.operators);
});

test('only groups of several parts name other parts', () => {
  for (let stage = 0; stage <= graphs.last; stage++) {
    const openings = new Openings();
    openDownTo(stage, graphs, openings);
    for (const { items, pages } of groups(pictureOf(graphs, openings))) {
      if (pages === 1) expect(items.map((item) => 'text' in item && item.text)).not.toContain('other parts');
    }
  }
});
