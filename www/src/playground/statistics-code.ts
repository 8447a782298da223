/** The code of a run of the tab “Statistics”: its choice as a program, and the same file for Node as of any program. */
import type { CompileOptions } from 'cipherloom';
import { type Selection, wantedOf } from '../selection.js';
import type { GpuUse } from '../run/gpu-choice.js';
import { codeOfRun } from './code-of-run.js';
import type { TextColumn } from './table-text.js';

/** `columns`: those of the selection, in its order. */
export function codeOfStatistics(
  selection: Selection,
  columns: readonly TextColumn[],
  { compile, gpu }: { readonly compile: CompileOptions; readonly gpu: GpuUse },
  file: string,
): string {
  const names = selection.columns.map(({ name }) => name);
  const outputs = wantedOf(selection).map(({ output, statistic, columns: [one, other] }) => {
    const at = (name: string | undefined): string => `values[${names.indexOf(name!)}]`;
    return `  task.output(${JSON.stringify(output)}, ${at(one)}.${statistic}(${other === undefined ? '' : at(other)}));`;
  });
  const code = `import { columnOptions } from 'cipherloom/table';

function program(task, table) {
  const encrypted = {};
  const values = ${JSON.stringify(names)}.map((name) => {
    const column = table.column(name);
    encrypted[name] = column.values;
    return task.encrypted(name, columnOptions(column));
  });
${outputs.join('\n')}
  return { encrypted };
}`;
  // What was left to the compiler is not told to it.
  const told = Object.fromEntries(
    Object.entries(compile).filter(([, value]) => value !== undefined && value !== false),
  );
  return codeOfRun({ code, name: 'program', options: told, gpu, columns, file });
}
