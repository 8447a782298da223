/** What a lesson of the tab “Learn” is: numbers that a visitor may change, stops to walk through, and a question at the end. */
import type { Loom } from 'cipherloom';

/** What a visitor may change. Each gives whole numbers: a `choice` or a `number` one, `numbers` several. */
export type Field = ChoiceField | NumbersField;

interface AnyField {
  readonly name: string;
  readonly label: string;
  /** What is there at first. */
  readonly first: readonly bigint[];
}

export interface ChoiceField extends AnyField {
  readonly kind: 'choice';
  readonly options: readonly { readonly value: bigint; readonly text: string }[];
}

export interface NumbersField extends AnyField {
  readonly kind: 'numbers';
  /** How many, separated by spaces, commas or semicolons. */
  readonly count: number;
  readonly least: bigint;
  readonly most: bigint;
}

/** The numbers of each field, by its name. */
export type Given = Readonly<Record<string, readonly bigint[]>>;

/** A place to stop at. */
export interface Stop {
  readonly title: string;
  readonly body: readonly (Node | string)[];
}

/** Answered by a whole number, which the engine computed. */
export interface Question {
  readonly text: string;
  readonly answer: bigint;
  /** Said when it is right, and when a visitor wants to see it. */
  readonly why: string;
}

/** A lesson on certain numbers. */
export interface Shown {
  readonly stops: readonly Stop[];
  readonly question: Question;
  /** Ends what stops still ask the engine for. */
  dispose?(): void;
}

/** Where a formula comes from. */
export interface Source {
  readonly text: string;
  readonly address?: string;
}

export interface Lesson {
  readonly id: string;
  readonly title: string;
  readonly lead: string;
  readonly fields: readonly Field[];
  readonly sources: readonly Source[];
  /** Runs it on these numbers, at toy size. */
  show(loom: Loom, given: Given): Promise<Shown>;
}

/** What is wrong with a field. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
  readonly field: string;

  constructor(field: Field, found: string, expected: string) {
    super(`${field.label}: found ${found}, expected ${expected}`);
    this.field = field.name;
  }
}

/** Whole numbers in a text. Errors: FieldError. */
export function numbersOf(field: NumbersField, text: string): readonly bigint[] {
  const { count, least, most } = field;
  const range = `from ${least} to ${most}`;
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.length !== count) {
    const expected = count === 1 ? `one whole number ${range}` : `${count} whole numbers ${range}`;
    throw new FieldError(field, words.length === 0 ? 'nothing' : `${words.length}`, expected);
  }
  return words.map((word) => {
    // No longer than what is still a number here, whatever is pasted.
    const value = /^[+-]?\d{1,30}$/.test(word) ? BigInt(word.replace('+', '')) : undefined;
    if (value === undefined || value < least || value > most)
      throw new FieldError(field, `“${word.slice(0, 40)}”`, `a whole number ${range}`);
    return value;
  });
}

/** The only number of a field. */
export function one(given: Given, name: string): bigint {
  return given[name]![0]!;
}

/** What fields say before anybody changes them. */
export function firstOf(lesson: Lesson): Given {
  return Object.fromEntries(lesson.fields.map(({ name, first }) => [name, first]));
}
