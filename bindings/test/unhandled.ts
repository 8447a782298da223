/** What rejects in the course of some work, and a moment later, without anybody to hear of it: Node ends a process by it. */
export async function unhandledOf(work: () => Promise<void>): Promise<unknown[]> {
  const left: unknown[] = [];
  const note = (error: unknown): void => void left.push(error);
  process.on('unhandledRejection', note);
  try {
    await work();
    await new Promise((resolve) => setTimeout(resolve, 10));
  } finally {
    process.off('unhandledRejection', note);
  }
  return left;
}
