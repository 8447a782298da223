/** The addon for this machine. Throws where there is none. */
export function path(): string;
