/** The addon for this machine. Throws where there is none. */
export function path(): string;
/** The levels that this processor can run, the fastest first. */
export function levels(): string[];
/** The package that has the addons of this platform, and the folder of a checkout that they are built into. */
export const platform: { readonly package: string; readonly build: string };
