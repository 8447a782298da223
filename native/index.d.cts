/** The addon for this machine. Throws where there is none. */
export function path(): string;
/** What the folders of all levels end with that this processor can run, the fastest first. */
export function suffixes(): string[];
