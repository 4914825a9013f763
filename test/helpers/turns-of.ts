/** Counts the turns of the event loop until `work` is done; it may look at how many there were. */
export async function turnsOf(work: (turns: () => number) => Promise<unknown>): Promise<number> {
  let turns = 0;
  const turn = () => {
    turns += 1;
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  try {
    await work(() => turns);
  } finally {
    clearImmediate(next);
  }
  return turns;
}
