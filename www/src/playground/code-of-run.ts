/** A run as one file for Node: the program, its settings, the table's chosen columns, and what the page does with them. */
import type { CompileOptions } from 'cipherloom';
import type { GpuUse } from '../run/gpu-choice.js';
import { freshName } from './fresh-name.js';
import resultsOfText from './results-of.js?raw';
import { csvOf, type TextColumn } from './table-text.js';

export interface Run {
  /** JavaScript, with its imports, whose function is called `name`. */
  readonly code: string;
  readonly name: string;
  readonly options: CompileOptions;
  /** Where it is evaluated. */
  readonly gpu: GpuUse;
  readonly columns: readonly TextColumn[];
  /** Of the file, as it is saved. */
  readonly file: string;
}

/** Runs as it stands where cipherloom is installed, and prints the results as JSON; an argument is another table. */
export function codeOfRun({ code, name, options, gpu, columns, file }: Run): string {
  const fresh = (wanted: string): string => freshName(wanted, code);
  const imported = (wanted: string): [text: string, own: string] => {
    const own = fresh(wanted);
    return [own === wanted ? wanted : `${wanted} as ${own}`, own];
  };
  const [[readFileText, readFile], [loadText, load]] = [imported('readFile'), imported('load')];
  const [parseTableText, parseTable] = imported('parseTable');
  const [path, table, loom, task, given] = ['path', 'table', 'loom', 'task', 'given'].map(fresh);
  const [compiled, client, encrypted, outputs, details] = [
    'compiled',
    'client',
    'encrypted',
    'outputs',
    'details',
  ].map(fresh);
  const [csv, resultsOf] = ['csv', 'resultsOf'].map(fresh);
  const told = Object.keys(options).length === 0 ? '' : JSON.stringify(options, null, 2);
  const clear = `plain: ${given}.plain ?? {}, public: ${given}.public ?? {}`;
  const evaluate = (more: string): string =>
    `${compiled}.run(${encrypted}, ${client}.evaluationKeys, { ${clear}${more} })`;
  const evaluated = {
    false: `const ${outputs} = await ${evaluate('')};`,
    measured: `// By a GPU what is measured to be faster there (npm i webgpu): the processors compute a program’s first run, beside which that is measured, for runs
// that you ask for after it. Without webgpu, or a GPU, they compute all.
const ${outputs} = await ${evaluate(`, gpu: 'measured'`)};`,
    true: `// By a GPU, where there is one and the package that leads to it (npm i webgpu); else by the processors, to the same results.
const ${outputs} = await ${evaluate(', gpu: true')}.catch((error) => {
  if (error.code !== 'gpu.none') throw error;
  console.error(\`\${error.message}. The processors compute it.\`);
  return ${evaluate('')};
});`,
  }[String(gpu) as 'false' | 'measured' | 'true'];
  return `// A run of cipherloom’s playground, for Node 20.19 and newer:
//   npm i cipherloom && node ${file} [other-table.csv]
// It holds the columns that the program was run on, as they are: give it to nobody who must not see them.
// In Node it runs without a sandbox: read a program that came with a link first.
import { ${readFileText} } from 'node:fs/promises';
import { ${loadText} } from 'cipherloom';
import { ${parseTableText} } from 'cipherloom/table';

${code.trim()}

const ${path} = process.argv[2];
const ${table} =
  ${path} === undefined ? ${parseTable}(${csv}(), { delimiter: ',' }) : ${parseTable}(await ${readFile}(${path}));
const ${loom} = await ${load}();
const ${task} = ${loom}.task();
const ${given} = ${name}(${task}, ${table});
const ${compiled} = await ${task}.compile(${told});
const ${client} = await ${compiled}.client(); // holds the secret key
const ${encrypted} = await ${client}.encrypt(${given}.encrypted ?? {});
${evaluated}
const ${details} = await ${client}.decryptDetails(${outputs}, { public: ${given}.public ?? {} });
${loom}.dispose();
console.log(JSON.stringify(${resultsOf}(${details}), null, 2));

${resultsOfText.replace('export function resultsOf', `function ${resultsOf}`).trim()}

function ${csv}() {
  return \`${templated(csvOf(columns))}\`;
}
`;
}

/** A text as it stands in a template. */
function templated(text: string): string {
  return text.replace(/[\\`]|\$\{/g, (found) => `\\${found}`).replaceAll('\r', '\\r');
}
