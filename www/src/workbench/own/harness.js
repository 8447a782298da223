// Runs before a visitor's code, in a worker of its own: gives it the names that it may use, and records what its `expand`
// calls. The page makes these calls with its real builder, which checks them; nothing here is trusted.
'use strict';
(() => {
  const maker =
    (element) =>
    (...shape) => ({ element, shape });
  for (const element of ['bit', 'u8', 'i32', 'u32', 'i64', 'u64', 'f32', 'f64'])
    globalThis[element] = maker(element);
  globalThis.type = (head, attributes, units) => ({ head, attributes, units });

  class Recorder {
    #calls = [];
    #numbers = new WeakMap();
    #first;
    constructor(unit, first) {
      this.unit = unit;
      this.#first = first;
    }
    get calls() {
      return this.#calls;
    }
    operand(number) {
      const handle = Object.freeze({});
      this.#numbers.set(handle, number);
      return handle;
    }
    number(value, where) {
      const number = this.#numbers.get(value);
      if (number === undefined) throw new TypeError(`${where}: expected an operand of g`);
      return number;
    }
    #add(call) {
      this.#calls.push(call);
      return this.operand(this.#first + this.#calls.length - 1);
    }
    op(name, inputs, attributes) {
      return this.#add({
        kind: 'op',
        name,
        inputs: inputs.map((one) => this.number(one, 'op, input')),
        attributes,
      });
    }
    view(operand, type, options) {
      return this.#add({ kind: 'view', operand: this.number(operand, 'view, operand'), type, options });
    }
    merge(parts, type) {
      return this.#add({ kind: 'merge', parts: parts.map((one) => this.number(one, 'merge, part')), type });
    }
    constant(type, data) {
      return this.#add({ kind: 'constant', type, data });
    }
  }

  addEventListener('message', ({ data: { unit, types, attributes } }) => {
    try {
      const expand = globalThis.expand;
      if (typeof expand !== 'function') throw new TypeError('expected a function expand(g, inputs, use)');
      const g = new Recorder(unit, types.length);
      const inputs = types.map((_, number) => g.operand(number));
      const result = g.number(expand(g, inputs, { types, attributes }), 'what expand gives');
      postMessage({ calls: g.calls, result });
    } catch (error) {
      postMessage({ error: String(error), stack: String(error?.stack ?? '') });
    }
  });
})();
