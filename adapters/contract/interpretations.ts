import type { Fact, Interpretation } from '../../src/core/facts.ts';

/** Interprets a payload as these facts, in the order in which they are applied. */
export function facts(list: Fact[]): Interpretation {
  return { kind: 'facts', facts: list };
}

/** Interprets a payload as something to be kept in mind, which changes nothing. */
export function noted(what: string): Interpretation {
  return facts([{ kind: 'noted', what }]);
}
