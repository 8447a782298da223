/** A program as JavaScript, twice: for the sandbox, with calls that watch its loops, and for a file of its own. */
import ts from 'typescript';
import { freshName } from '../fresh-name.js';
import type { Compiled, Finding } from './messages.js';

const FILE = 'program.ts';
const COMMON: ts.CompilerOptions = { target: ts.ScriptTarget.ES2022, isolatedModules: true };
/** What the sandbox hands in. */
const WATCH = 'cipherloomAt';

export function compileProgram(text: string): Compiled {
  const found: Finding[] = [];
  const refused = (diagnostics: readonly ts.Diagnostic[] | undefined): void => {
    for (const { start = 0, length = 0, messageText } of diagnostics ?? [])
      found.push({
        from: start,
        to: start + length,
        message: ts.flattenDiagnosticMessageText(messageText, '\n'),
        severity: 'error',
      });
  };
  const watched = ts.transpileModule(text, {
    fileName: FILE,
    reportDiagnostics: true,
    compilerOptions: { ...COMMON, module: ts.ModuleKind.CommonJS, sourceMap: true, inlineSources: false },
    transformers: { before: [watchLoops] },
  });
  refused(watched.diagnostics);
  const exported: { name: string | undefined } = { name: undefined };
  const plain = ts.transpileModule(text, {
    fileName: FILE,
    compilerOptions: { ...COMMON, module: ts.ModuleKind.ESNext },
    transformers: { before: [withoutExports(text, exported)] },
  });
  if (found.length === 0 && exported.name === undefined)
    found.push({
      from: 0,
      to: text.length,
      message: 'There is no "export default function program(task, table)": that is what is run',
      severity: 'error',
    });
  const { mappings } = JSON.parse(watched.sourceMapText ?? '{"mappings":""}') as { mappings: string };
  return {
    wrong: found,
    code: watched.outputText.replace(/^\/\/# sourceMappingURL=.*$/m, ''),
    mappings,
    // What TypeScript ends a module with that has no import and no export.
    module: plain.outputText.replace(/^export \{\};\n?$/m, ''),
    name: exported.name ?? '',
  };
}

/** A call at the beginning of each round of each loop, with the loop's line. */
function watchLoops(context: ts.TransformationContext): (file: ts.SourceFile) => ts.SourceFile {
  const { factory } = context;
  return (file) => {
    const visit = (node: ts.Node): ts.Node => {
      const seen = ts.visitEachChild(node, visit, context);
      if (!ts.isIterationStatement(seen, false)) return seen;
      const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
      const call = factory.createExpressionStatement(
        factory.createCallExpression(factory.createIdentifier(WATCH), undefined, [
          factory.createNumericLiteral(line),
        ]),
      );
      const { statement } = seen;
      const body = factory.createBlock(
        [call, ...(ts.isBlock(statement) ? statement.statements : [statement])],
        true,
      );
      return withBody(factory, seen, body);
    };
    return ts.visitNode(file, visit, ts.isSourceFile);
  };
}

function withBody(factory: ts.NodeFactory, loop: ts.IterationStatement, body: ts.Statement): ts.Node {
  if (ts.isForStatement(loop))
    return factory.updateForStatement(loop, loop.initializer, loop.condition, loop.incrementor, body);
  if (ts.isForOfStatement(loop))
    return factory.updateForOfStatement(loop, loop.awaitModifier, loop.initializer, loop.expression, body);
  if (ts.isForInStatement(loop))
    return factory.updateForInStatement(loop, loop.initializer, loop.expression, body);
  if (ts.isWhileStatement(loop)) return factory.updateWhileStatement(loop, loop.expression, body);
  if (ts.isDoStatement(loop)) return factory.updateDoStatement(loop, body, loop.expression);
  return loop;
}

/** Takes exports off, and has the default one a name. */
function withoutExports(
  text: string,
  exported: { name: string | undefined },
): (context: ts.TransformationContext) => (file: ts.SourceFile) => ts.SourceFile {
  return ({ factory }) =>
    (file) => {
      const statements = file.statements.map((statement): ts.Statement => {
        if (ts.isExportAssignment(statement) && statement.isExportEquals !== true) {
          if (ts.isIdentifier(statement.expression)) {
            exported.name = statement.expression.text;
            return factory.createEmptyStatement();
          }
          exported.name = freshName('program', text);
          const declared = factory.createVariableDeclaration(
            exported.name,
            undefined,
            undefined,
            statement.expression,
          );
          return factory.createVariableStatement(
            undefined,
            factory.createVariableDeclarationList([declared], ts.NodeFlags.Const),
          );
        }
        if (!ts.canHaveModifiers(statement)) return statement;
        const modifiers = ts.getModifiers(statement) ?? [];
        if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return statement;
        const own = modifiers.filter(
          ({ kind }) => kind !== ts.SyntaxKind.ExportKeyword && kind !== ts.SyntaxKind.DefaultKeyword,
        );
        const isDefault = modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword);
        if (ts.isFunctionDeclaration(statement)) {
          const name = statement.name ?? factory.createIdentifier(freshName('program', text));
          if (isDefault) exported.name = name.text;
          const { asteriskToken, typeParameters, parameters, type, body } = statement;
          return factory.updateFunctionDeclaration(
            statement,
            own,
            asteriskToken,
            name,
            typeParameters,
            parameters,
            type,
            body,
          );
        }
        if (ts.isVariableStatement(statement))
          return factory.updateVariableStatement(statement, own, statement.declarationList);
        return statement;
      });
      return factory.updateSourceFile(file, statements);
    };
}
