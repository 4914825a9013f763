import type { Fact, Interpretation } from '../../src/core/facts.ts';

/** Interprets a payload as these facts, in the order in which they are applied. */
export function facts(list: Fact[]): Interpretation {
  return { kind: 'facts', facts: list };
}

/** Interprets a payload as one that does not count, and says why. */
export function ignored(reason: string): Interpretation {
  return { kind: 'ignored', reason };
}

/** Interprets a payload as one that this version cannot read, and says what it does not know. */
export function unknown(reason: string): Interpretation {
  return { kind: 'unknown', reason };
}

/** Interprets a payload as something to be kept in mind, which changes nothing. */
export function noted(what: string): Interpretation {
  return facts([{ kind: 'noted', what }]);
}
