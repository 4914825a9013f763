import { OUTCOMES } from '../../core/outcome.ts';
import { type Answer, REJECTED } from './post-delivery.ts';

/** The expected answers of a run. */
export interface Expectation {
  /** The allowed outcomes; empty allows any success. */
  words: ReadonlySet<string>;
  /** The exact number of answers per outcome or status, where one was given. */
  counts: ReadonlyMap<string, number>;
}

const WORDS: readonly string[] = [...OUTCOMES, REJECTED];

/** Parses `sale`, `rejected`, `503` or `duplicate=9`; null for anything else. */
export function parseExpectation(texts: readonly string[]): Expectation | null {
  const words = new Set<string>();
  const counts = new Map<string, number>();
  for (const text of texts) {
    const [, word, count] = /^([a-z]+|\d{3})(?:=(\d{1,9}))?$/.exec(text) ?? [];
    if (word === undefined || !(WORDS.includes(word) || /^\d/.test(word))) return null;
    words.add(word);
    if (count !== undefined) counts.set(word, Number(count));
  }
  return { words, counts };
}

/** The values that `--expect` accepts, for its help and error. */
export const EXPECTATION_HINT = `one of ${WORDS.join(', ')} or an HTTP status, optionally with its count: duplicate=9`;

type Answered = Pick<Answer, 'status' | 'outcome'>;

export function isExpected({ words }: Expectation, { status, outcome }: Answered): boolean {
  if (words.size > 0) return words.has(outcome) || words.has(String(status));
  return status !== null && status >= 200 && status < 300;
}

/** A message for each outcome or status whose count does not match. */
export function missedCounts({ counts }: Expectation, answers: readonly Answered[]): string[] {
  return [...counts].flatMap(([word, count]) => {
    const came = answers.filter(({ status, outcome }) => outcome === word || String(status) === word).length;
    return came === count ? [] : [`${word}: ${came} instead of ${count}`];
  });
}
