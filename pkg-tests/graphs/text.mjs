/**
 * Reads the text form of a graph, after its documentation:
 *
 *   { unit, inputs: [{ name, operand }], operators: [{ name, platform?, attributes, inputs, output }], outputs: [{ name, operand }] }
 *
 * An operand is `{ type: { head, size, attributes }, parts: [[start, end), ..] }`, in units; integers are BigInts in
 * attributes, data are bytes.
 */
export function parse(text) {
  const [header, unit, ...lines] = text.split('\n').filter((line) => line.trim() !== '');
  if (header !== 'cipherloom-graph 1') throw new Error(`the first line is ${header}`);
  const graph = { unit: Number(/^unit (\d+)$/.exec(unit)[1]), inputs: [], operators: [], outputs: [] };
  const known = { types: [], attributes: [], operands: [] };
  for (const line of lines) {
    const cursor = new Cursor(line);
    READERS[cursor.take(/[a-z]+/)](cursor, graph, known);
    cursor.end();
  }
  return graph;
}

const READERS = {
  type(cursor, _, { types }) {
    cursor.take(`!${types.length} =`);
    const head = cursor.take(/\w+/);
    const size = Number(cursor.between('[', /\d+/, ']'));
    types.push({ head, size, attributes: cursor.sees('{') ? attributesAt(cursor) : {} });
  },
  attrs(cursor, _, { attributes }) {
    cursor.take(`#${attributes.length} =`);
    attributes.push(attributesAt(cursor));
  },
  input(cursor, { inputs }, { types, operands }) {
    cursor.take(`%${operands.length} :`);
    const operand = viewAt(cursor, types);
    operands.push(operand);
    inputs.push({ name: JSON.parse(cursor.take(STRING)), operand });
  },
  op(cursor, { operators }, known) {
    cursor.take(`%${known.operands.length} =`);
    const name = cursor.take(/[\w.]+/);
    const platform = cursor.sees('@') ? cursor.take(/@[\w.]+/).slice(1) : undefined;
    const attributes = cursor.sees('#') ? known.attributes[Number(cursor.take(/#\d+/).slice(1))] : {};
    const inputs = listAt(cursor, '(', () => operandAt(cursor, known), ')');
    cursor.take(':');
    const output = viewAt(cursor, known.types);
    known.operands.push(output);
    for (const tail of ['nonce=', 'parent=']) if (cursor.sees(tail)) cursor.take(/\w+=\d+/);
    operators.push({ name, ...(platform && { platform }), attributes, inputs, output });
  },
  output(cursor, { outputs }, known) {
    const operand = operandAt(cursor, known);
    outputs.push({ name: JSON.parse(cursor.take(STRING)), operand });
  },
};

const STRING = /"(?:[^"\\]|\\.)*"/;

function operandAt(cursor, { types, operands }) {
  return cursor.sees('%') ? operands[Number(cursor.take(/%\d+/).slice(1))] : viewAt(cursor, types);
}

function viewAt(cursor, types) {
  const type = types[Number(cursor.take(/!\d+/).slice(1))];
  const parts = [];
  do {
    if (parts.length > 0) cursor.take('+');
    parts.push(
      cursor
        .take(/\[\d+,\d+\)/)
        .match(/\d+/g)
        .map(Number),
    );
  } while (cursor.sees('+'));
  return { type, parts };
}

function attributesAt(cursor) {
  return Object.fromEntries(listAt(cursor, '{', () => [cursor.take(/\w+/), (cursor.take('='), valueAt(cursor))], '}'));
}

function valueAt(cursor) {
  if (cursor.sees('[')) return listAt(cursor, '[', () => BigInt(cursor.take(/-?\d+/)), ']');
  if (cursor.sees('"')) return JSON.parse(cursor.take(STRING));
  if (cursor.sees('@')) return new Uint8Array(Buffer.from(cursor.take(/@"[^"]*"/).slice(2, -1), 'base64'));
  if (cursor.sees('$')) return listAt((cursor.take('$'), cursor), '[', () => JSON.parse(cursor.take(STRING)), ']');
  return BigInt(cursor.take(/-?\d+/));
}

function listAt(cursor, open, item, close) {
  const list = [];
  cursor.take(open);
  while (!cursor.sees(close)) {
    if (list.length > 0) cursor.take(',');
    list.push(item());
  }
  cursor.take(close);
  return list;
}

class Cursor {
  #line;
  #at = 0;

  constructor(line) {
    this.#line = line;
  }

  sees(text) {
    this.#skip();
    return this.#line.startsWith(text, this.#at);
  }

  /** What is expected here, a text (whose blanks are any) or a pattern. */
  take(expected) {
    this.#skip();
    if (typeof expected === 'string') {
      for (const word of expected.split(' ')) this.#word(word);
      return expected;
    }
    const pattern = new RegExp(expected.source, 'y');
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#line)?.[0];
    if (found === undefined) throw this.#error(expected.source);
    this.#at += found.length;
    return found;
  }

  between(open, expected, close) {
    this.take(open);
    const found = this.take(expected);
    this.take(close);
    return found;
  }

  end() {
    this.#skip();
    if (this.#at < this.#line.length) throw this.#error('the end');
  }

  #word(word) {
    this.#skip();
    if (!this.#line.startsWith(word, this.#at)) throw this.#error(word);
    this.#at += word.length;
  }

  #skip() {
    while (this.#line[this.#at] === ' ') this.#at++;
  }

  #error(expected) {
    return new Error(`expected ${expected} at "${this.#line.slice(this.#at, this.#at + 40)}" of: ${this.#line}`);
  }
}
