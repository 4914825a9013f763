import { constants, setPriority } from 'node:os';

/** Lets a server on the same machine go first: for commands that keep a core busy for a long time. */
export function yieldToOthers(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // where that is not allowed, the command runs with normal priority
  }
}
