/** Made by vite/operator-names.ts of what the package declares. */
declare module 'virtual:operator-names' {
  /** Attributes that each operator takes, by the operator's name. */
  export const OPERATORS: ReadonlyMap<string, readonly string[]>;
  /** Passes of the optimizer. */
  export const PASSES: readonly string[];
}

/** Made by vite/operator-docs.ts of the core's sources. */
declare module 'virtual:operator-docs' {
  /** What an operator is, in words and formulas, and the file that defines it; by the operator's name. Undefined where none was found. */
  export const DOCS: ReadonlyMap<string, { readonly file: string; readonly text: string } | undefined>;
}

/** A module as a file of its own: see vite/module-address.ts. */
declare module '*?address' {
  const address: string;
  export default address;
}

/** Made by vite/playground-types.ts: declarations by path. */
declare module 'virtual:playground-types' {
  const files: Readonly<Record<string, string>>;
  export default files;
}

/** A module and all that it imports, as the text of one script: see vite/sandbox-text.ts. */
declare module '*?sandbox' {
  const text: string;
  export default text;
}

/** The script of the playground's sandbox, and its hash as policies have it: see vite/sandbox-frame.ts. */
declare module 'virtual:sandbox-frame' {
  const script: { readonly text: string; readonly hash: string };
  export default script;
}
