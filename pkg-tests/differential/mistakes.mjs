export function mistaken(dice, program) { return program; }
