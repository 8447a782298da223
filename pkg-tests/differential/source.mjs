/** A program as a short one that anybody can run. */
import { countOf } from './recipe.mjs';

export function sourceOf(program, journey = {}) {
  const { inputs, steps, outputs } = program;
  const { compile = {}, ...rest } = journey;
  const names = inputs.map((_, index) => `a${index}`);
  const lines = inputs.map(
    ({ place, name, options }, index) => `const a${index} = task.${place}(${literal(name)}, ${literal(options)});`,
  );
  const next = { b: 0, r: 0 };
  for (const step of steps) lines.push(...ofStep(step, names, next, 'task'));
  const unusual = Object.entries(rest).filter(([, value]) => ![false, 'no'].includes(value) && value.length !== 0);
  const given = (place) => {
    const own = inputs.filter((input) => input.place === place);
    return `{ ${own.map(({ name, cells }) => `${literal(name, true)}: ${literal(cells)}`).join(', ')} }`;
  };
  return [
    `import { load } from 'cipherloom';`,
    `const loom = await load();`,
    `const task = loom.task();`,
    ...lines,
    ...outputs.map(({ name, operand }) => `task.output(${literal(name)}, ${names[operand]});`),
    ...(unusual.length > 0 ? [`// It was run so: ${literal(Object.fromEntries(unusual))}`] : []),
    `const program = await task.compile(${literal(compile)});`,
    `const client = await program.client();`,
    `const inputs = await client.encrypt(${given('encrypted')});`,
    `const open = ${given('public')};`,
    `const results = await program.run(inputs, client.evaluationKeys, { plain: ${given('plain')}, public: open });`,
    `console.log(await client.decryptDetails(results, { public: open }));`,
    `loom.dispose();`,
    '',
  ].join('\n');
}

/** Appends the names of what a step gives. */
function ofStep(step, names, next) {
  if (step.constant) {
    names.push(`b${next.b++}`);
    return [`const ${names.at(-1)} = task.constant(${literal(step.constant.value)});`];
  }
  if (step.records) return ofRecords(step, names, next);
  const argument = (arg) => {
    if (arg.foreign) return '/* a value of another task */';
    if (arg.operands) return `[${arg.operands.map((operand) => names[operand]).join(', ')}]`;
    return 'operand' in arg ? names[arg.operand] : literal(arg.value);
  };
  const line = `${names[step.on]}.${step.method}(${step.args.map(argument).join(', ')});`;
  names.push(`b${next.b++}`);
  return [`const ${names.at(-1)} = ${line}`];
}

function ofRecords(step, names, next) {
  const inside = [...names];
  const columns = step.records.map((operand, index) => `c${index}: ${names[operand]}`).join(', ');
  const given = step.names ? '' : `{ ${columns} }, `;
  const record = `r${next.r++}`;
  const own = (index) => (step.names ? `[${literal(step.names[index])}]` : `.c${index}`);
  inside.push(...step.records.map((_, index) => `${record}${own(index)}`));
  const lines = step.steps.flatMap((one) => ofStep(one, inside, next));
  const results = step.results.map((operand, index) => `c${index}: ${inside[operand]}`).join(', ');
  const made = Array.from({ length: countOf(step) }, () => `b${next.b++}`);
  names.push(...made);
  return [
    `const { ${made.map((name, index) => `c${index}: ${name}`).join(', ')} } = task.forEach(${given}(${record}) => {`,
    ...lines.map((line) => `  ${line}`),
    `  return { ${results} };`,
    `});`,
  ];
}

function literal(value, isKey = false) {
  if (typeof value === 'bigint') return `${value}n`;
  if (Object.is(value, -0)) return '-0';
  if (typeof value === 'string') return isKey && /^[A-Za-z]\w*$/.test(value) ? value : JSON.stringify(value);
  if (value instanceof Date) return `new Date(${JSON.stringify(value.toISOString().split('T')[0])})`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (ArrayBuffer.isView(value)) return `${value.constructor.name}.from(${literal(Array.from(value))})`;
  if (Array.isArray(value)) return `[${value.map((one) => literal(one)).join(', ')}]`;
  return `{ ${Object.entries(value)
    .map(([key, one]) => `${literal(key, true)}: ${literal(one)}`)
    .join(', ')} }`;
}
