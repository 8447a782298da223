/** A split strategy as a rule over a machine's traits [L3, L3d]. */
import { coresOf } from '../machine.js';
import { type Dimension, DIMENSIONS } from '../dimensions.js';
import { Exchange } from '../exchange.js';
import type { LayoutPort, Lead } from '../operator.js';
import { layoutOperator } from '../operators/index.js';
import type { PortName, Strategy, StrategyRow, StrategyUse } from '../strategy.js';

/**
 * From what an operator does with dimensions, and what the machine has: dimensions that lead to the output come before those that need a rim, and these before summed ones; within them those with at least as many
 * elements as there are cores come first, then the larger ones. What is cut is chosen for one operand and followed by the other (a sum is cut in both, or in none). Data that travel lie in caches where all clusters have
 * them, else in memory.
 */
export const ruleStrategy: Strategy = {
  name: 'rule',
  rows(use) {
    const { mode, machine, port } = use;
    const cached = machine.clusters.every(({ cache }) => cache);
    const [storage, level] = cached
      ? (['cluster', Exchange.Cluster] as const)
      : (['mem', Exchange.Memory] as const);
    const stays = (dimension: Dimension): StrategyRow => ({ dimension, storage: 'mem', exchange: [] });
    const moves = (dimension: Dimension): StrategyRow => ({ dimension, storage, exchange: [level] });
    const { ports } = layoutOperator(use.operator);
    const paired = ports.length === 2 && ports[1]?.role === 'neuron';
    if (ports.length === 1 || paired)
      return ranked(use, port === 'output' ? 'output' : 'input').map(([d]) => stays(d));
    const [first] = ranked(use, 'input');
    const summed = first?.[1] === 'sum';
    if (mode === 'model') {
      if (port === 'output')
        return summed
          ? [{ dimension: 'C', storage, exchange: cached ? [Exchange.Core, level] : [level] }]
          : first === undefined
            ? []
            : [stays(first[0])];
      if (port === 'weight') return summed ? [stays('C')] : [];
      if (first === undefined) return [];
      const [dimension, lead] = first;
      return [lead !== 'sum' && lead.rim === true ? moves(dimension) : stays(dimension)];
    }
    const travelling = mode === 'data' ? 'weight' : 'input';
    if (port === 'output') {
      const row = stays('N');
      return [
        mode === 'data' ? row : { ...row, storage, exchange: cached ? [Exchange.Core, level] : [level] },
      ];
    }
    return [port === travelling ? moves('N') : stays('N')];
  },
};

/** Dimensions of an operand that may be cut, the best first, with where they lead. */
function ranked(use: StrategyUse, port: PortName): (readonly [Dimension, Lead])[] {
  const { operator, machine, operands, sizes } = use;
  const of = operands[port] ?? sizes;
  const leads: LayoutPort['leads'] = layoutOperator(operator).ports[port === 'weight' ? 1 : 0]?.leads ?? {};
  const cores = coresOf(machine);
  const kind = (lead: Lead): number => (lead === 'sum' ? 2 : lead.rim === true ? 1 : 0);
  const filled = (dimension: Dimension): number => ((of[dimension] ?? 0) >= cores ? 0 : 1);
  return DIMENSIONS.flatMap((dimension) => {
    const lead = leads[dimension];
    return lead === undefined || of[dimension] === undefined || of[dimension] === 1
      ? []
      : [[dimension, lead] as const];
  }).sort(
    ([a, leadA], [b, leadB]) =>
      filled(a) - filled(b) || kind(leadA) - kind(leadB) || (of[b] ?? 0) - (of[a] ?? 0),
  );
}
