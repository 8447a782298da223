/** The version of this package, which its native build must be of, too. */
export const VERSION = '0.1.0';
