/** A case as a short program that anybody can run. */

export function sourceOf({ programs, journey }) {
  return programs.map((program) => ofProgram(program, journey)).join('\n');
}

function ofProgram({ inputs, nodes, outputs, ...given }, { compile = {}, ...journey }) {
  const called = (operand) => (operand < inputs.length ? `a${operand}` : `b${operand - inputs.length}`);
  const argument = (arg) =>
    arg.foreign ? '/* a column of another task */' : 'operand' in arg ? called(arg.operand) : literal(arg.value);
  const unusual = Object.entries({ ...journey, ...given }).filter(([, value]) => ![false, 'no'].includes(value));
  return [
    `import { load } from 'cipherloom';`,
    `const loom = await load();`,
    `const task = loom.task();`,
    ...inputs.map(
      ({ name, options }, index) => `const a${index} = task.encrypted(${literal(name)}, ${literal(options)});`,
    ),
    ...nodes.map(
      ({ on, method, args }, index) => `const b${index} = ${called(on)}.${method}(${args.map(argument).join(', ')});`,
    ),
    ...outputs.map(({ name, operand }) => `task.output(${literal(name)}, ${called(operand)});`),
    ...(unusual.length > 0 ? [`// The case was run so: ${literal(Object.fromEntries(unusual))}`] : []),
    `const program = await task.compile(${literal(compile)});`,
    `const client = await program.client();`,
    `const inputs = await client.encrypt({ ${inputs.map(column).join(', ')} });`,
    `console.log(await client.decryptDetails(await program.run(inputs, client.evaluationKeys)));`,
    '',
  ].join('\n');
}

function column({ name, values }) {
  return `${literal(name)}: ${literal(values)}`;
}

function literal(value) {
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}.from(${literal(Array.from(value))})`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  return `{ ${Object.entries(value)
    .map(([key, one]) => `${/^\w+$/.test(key) ? key : JSON.stringify(key)}: ${literal(one)}`)
    .join(', ')} }`;
}
