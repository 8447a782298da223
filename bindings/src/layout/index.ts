/**
 * Labels and layout for many cores: `cipherloom/layout`.
 *
 * @module cipherloom/layout
 */
export { CATEGORIES, CATEGORY_CODES, categoryOf, PORT_ROLES } from './category.js';
export type { Category, Connection, PortRole } from './category.js';
export { DIMENSIONS } from './dimensions.js';
export type { Dimension, Sizes } from './dimensions.js';
export { fromHalfBits, halfBits, roundToHalf } from './half.js';
export { NUMBER_TYPES, numberKind } from './numbers.js';
export type { NumberKind, NumberType } from './numbers.js';
export { parseStatic, printStatic, staticLabel } from './static-label.js';
export type { StaticLabel } from './static-label.js';
export { dynamicLabel, operationSizes, parseDynamic, printDynamic } from './dynamic-label.js';
export type { DynamicLabel, Padding, SplitIndex } from './dynamic-label.js';
export { Exchange } from './exchange.js';
export { machine } from './machine.js';
export type { Cluster, Cost, Machine, MachineCluster, MachineDescription, Place } from './machine.js';
export { deviceMachine } from './device.js';
export type { Device } from './device.js';
export type { Storage } from './storage.js';
export { partsOf, ROUNDINGS, targetOf } from './split-index.js';
export type { PartsOptions, Range, Rounding } from './split-index.js';
export { MODES } from './strategy.js';
export type { Mode, PortName, Strategy, StrategyRow, StrategyUse } from './strategy.js';
export { STRATEGY_TABLE, tableStrategy } from './strategies/table.js';
export type { TableEntry, TableRow } from './strategies/table.js';
export { ruleStrategy } from './strategies/rule.js';
export { cutTiles, deriveLabel } from './derive.js';
export type { DatumOptions, DeriveOptions } from './derive.js';
export { labelOperator } from './label-operator.js';
export type { LabelledOperator, LabelPair, OperandLabels, OperatorOptions } from './label-operator.js';
export { LAYOUT_OPERATORS } from './operators/index.js';
export type { LayoutAttributes } from './operator.js';
export { tensor } from './tensor.js';
export type { Box, LayoutTensor } from './tensor.js';
export { placesOf, prepare, PREPARATIONS, restore } from './prepare.js';
export type { PartPlace, Preparation, Prepared } from './prepare.js';
export { compile } from './compile.js';
export { levelsOf, printInstruction } from './plan.js';
export type {
  Access,
  Compute,
  CoreStep,
  ExchangeRead,
  Instruction,
  PlacedPart,
  Plan,
  PlannedResult,
} from './plan.js';
export { countMoves, timeOf } from './cost.js';
export type { Counts, Moves } from './cost.js';
export { simulate } from './simulate.js';
export type { Simulation } from './simulate.js';
export { execute, runPlan } from './execute.js';
export type { ExecuteOptions, Execution, OperandData } from './execute.js';
export { openPacket, packConstants, SEGMENTS } from './packets.js';
export type { Constant, NamedNumber, Packet, PacketContents, PacketEntry, Segment } from './packets.js';
export { openPlan, packPlan } from './pack-plan.js';
export { learnedStrategy } from './strategies/learned.js';
export type { Trees } from './strategies/learned.js';
export { CHOICES, FEATURES } from './strategies/choices.js';
export type { Choice, Feature, Tree } from './strategies/choices.js';
export { fitTree, regret, trainingCases, trainStrategy } from './strategies/train.js';
export type { TrainingCase } from './strategies/train.js';
export { split, splitBatch } from './split-graph.js';
export type { SplitOperands, SplitPart, SplitResult } from './split-graph.js';
export { detectLabels } from './detect.js';
export type { DetectedNode, DetectOptions } from './detect.js';
