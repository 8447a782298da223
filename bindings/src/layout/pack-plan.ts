/** A compiled plan, and what of its operands is constant, as packets for each core [L5e, L6]. */
import { checkArgument, describe } from '../arguments.js';
import { checkLabelled, checkWeight } from './checks.js';
import { checkInstruction } from './instruction.js';
import { PLAN, STEPLESS_PLAN } from './kinds.js';
import type { LabelledOperator, LabelPair } from './label-operator.js';
import { coresOf, type Place } from './machine.js';
import { bytesToNumbers, numbersToBytes } from './numbers-bytes.js';
import { layoutOperator } from './operators/index.js';
import { type NamedNumber, openPacket, packConstants, type Packet } from './packets.js';
import type { CoreStep, Instruction, Plan } from './plan.js';
import { prepare } from './prepare.js';
import type { LayoutTensor } from './tensor.js';
import { wrong } from './wrong.js';

const INSTRUCTIONS = 'instructions';

/**
 * Packets of a plan: each core's instructions, the parts of the weight that it has, in the label's type, and the addresses of the input's parts that it has and of the results that it writes, which are offsets within their memory, in the order
 * in which the plan places them. Errors: LayoutError; InputError `input.type` for no plan, or no labelled operator.
 */
export function packPlan(plan: Plan, labelled: LabelledOperator, weight?: LayoutTensor): readonly Packet[] {
  checkArgument('packPlan, plan', plan, PLAN);
  checkLabelled('packPlan', labelled);
  if (weight !== undefined) checkWeight('layout.operands', 'packPlan, weight', labelled.operator, weight);
  const cores = coresOf(plan.machine);
  const perCore = Array.from({ length: cores }, (_, core) => core);
  const encoder = new TextEncoder();
  const instructions = perCore.map((core) => {
    const steps = plan.steps.map((step) => step.find((one) => one.core === core)?.instructions ?? []);
    return encoder.encode(JSON.stringify(steps));
  });
  const constants = [{ name: INSTRUCTIONS, blocks: instructions }];
  if (weight !== undefined) {
    const pair = labelled.weight as LabelPair;
    prepare(pair, weight).parts.forEach((part, index) => {
      const name = `${letterOf(labelled, 'weight')}${index + 1}`;
      const bytes = numbersToBytes(part.values, pair.dynamic.type);
      const homes = new Set(plan.placed.filter((placed) => placed.name === name).map(({ core }) => core));
      constants.push({
        name,
        blocks: perCore.map((core) => (homes.has(core) ? bytes : undefined)) as Uint8Array<ArrayBuffer>[],
      });
    });
  }
  const addresses = perCore.map((): NamedNumber[] => []);
  const used = new Map<Place, number>();
  const address = (place: Place, bytes: number): number => {
    const from = used.get(place) ?? 0;
    used.set(place, from + bytes);
    return from;
  };
  for (const { name, operand, core, place, bytes } of plan.placed) {
    const value = address(place, bytes);
    if (operand === 'input') addresses[core]?.push({ name: `${name} ${place}`, value });
  }
  for (const { name, place, bytes } of plan.results) {
    const value = address(place, bytes);
    const writer = plan.steps
      .flat()
      .find(({ instructions: all }) => all.some((one) => one.kind === 'compute' && one.output === name));
    addresses[writer?.core ?? 0]?.push({ name: `${name} ${place}`, value });
  }
  return packConstants(cores, { constants, addresses, sizes: true });
}

/** A plan whose instructions, and whose weight's parts, come out of packets: of the same machine and places. Errors: LayoutError `layout.packet`, `layout.plan`; InputError `input.type` for no plan, or no labelled operator. */
export function openPlan(
  plan: Omit<Plan, 'steps'>,
  labelled: LabelledOperator,
  packets: readonly Uint8Array[],
): { readonly plan: Plan; readonly parts: ReadonlyMap<string, LayoutTensor> } {
  checkArgument('openPlan, plan', plan, STEPLESS_PLAN);
  checkLabelled('openPlan', labelled);
  if (!Array.isArray(packets))
    throw wrong('layout.packet', 'packets', describe(packets), 'an array of bytes');
  const opened = packets.map((packet: Uint8Array) => openPacket(packet));
  if (opened.length !== coresOf(plan.machine) || opened.some(({ core }, index) => core !== index))
    throw wrong(
      'layout.packet',
      'packets',
      `${opened.length} packets`,
      `one for each of ${coresOf(plan.machine)} cores, in their order`,
    );
  const byCore = opened.map((packet) => readSteps(packet));
  const count = Math.max(0, ...byCore.map((steps) => steps.length));
  const steps = Array.from({ length: count }, (_, step) =>
    byCore.flatMap((own, core): CoreStep[] => {
      const instructions = own[step] ?? [];
      return instructions.length === 0 ? [] : [{ core, instructions }];
    }),
  );
  const parts = new Map<string, LayoutTensor>();
  if (labelled.weight !== undefined) {
    const { dynamic, static: of } = labelled.weight;
    for (const packet of opened)
      for (const { name } of packet.entries.constants) {
        const index = new RegExp(`^${letterOf(labelled, 'weight')}(\\d+)$`).exec(name)?.[1];
        if (index === undefined) continue;
        const range = dynamic.split.parts[Number(index) - 1];
        if (range === undefined)
          throw wrong(
            'layout.packet',
            'packet, constants',
            describe(name),
            `a part of ${dynamic.split.parts.length}`,
          );
        const values = bytesToNumbers(packet.read('constants', name), dynamic.type);
        const whole = [...dynamic.dims].map((letter) => {
          const size = of.sizes[of.dims.indexOf(letter)] ?? 1;
          return letter === dynamic.split.dimension
            ? range[1] - range[0]
            : size + (dynamic.padding[letter as 'N']?.length ?? 0);
        });
        if (values.length !== whole.reduce((all, size) => all * size, 1))
          throw wrong(
            'layout.packet',
            `packet, ${describe(name)}`,
            `${values.length} numbers`,
            whole.join(' x '),
          );
        parts.set(name, { dims: dynamic.dims, sizes: whole, values });
      }
  }
  return { plan: { ...plan, steps }, parts };
}

function letterOf(labelled: LabelledOperator, operand: 'input' | 'weight'): string {
  return layoutOperator(labelled.operator).ports.find(({ name }) => name === operand)?.letter ?? operand;
}

/** What a packet says that its core does, as far as it can be told without running it; the rest `simulate` says. */
function readSteps(packet: Packet): readonly (readonly Instruction[])[] {
  const where = `packet of core ${packet.core + 1}, instructions`;
  const steps = ((): unknown => {
    try {
      return JSON.parse(
        new TextDecoder('utf-8', { fatal: true }).decode(packet.read('constants', INSTRUCTIONS)),
      );
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof TypeError)
        throw wrong('layout.packet', where, 'no JSON', 'instructions by step');
      throw error;
    }
  })();
  if (!Array.isArray(steps) || !steps.every(Array.isArray))
    throw wrong('layout.packet', where, describe(steps), 'an array of arrays');
  for (const instruction of steps.flat() as unknown[]) checkInstruction(where, instruction);
  return steps as Instruction[][];
}
