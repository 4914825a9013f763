import { OUTCOMES } from '../../core/facts.ts';
import { type Answer, REJECTED } from './post-delivery.ts';

/** What the answers of a run must be. */
export interface Expectation {
  /** Words of which every answer must be one; empty stands for any success. */
  words: ReadonlySet<string>;
  /** How often a word must have come, where that was said. */
  counts: ReadonlyMap<string, number>;
}

const WORDS: readonly string[] = [...OUTCOMES, REJECTED];

/** `sale`, `rejected`, `503`, or `duplicate=9`; null for another word. */
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

/** What `--expect` takes, for its problem. */
export const EXPECTATION_HINT = `one of ${WORDS.join(', ')} or an HTTP status, each possibly with its count: duplicate=9`;

export function isExpected({ words }: Expectation, { status, outcome }: Pick<Answer, 'status' | 'outcome'>): boolean {
  if (words.size > 0) return words.has(outcome) || words.has(String(status));
  return status !== null && status >= 200 && status < 300;
}

/** A sentence for each count that was not met. */
export function missedCounts({ counts }: Expectation, came: ReadonlyMap<string, number>): string[] {
  return [...counts]
    .filter(([word, count]) => (came.get(word) ?? 0) !== count)
    .map(([word, count]) => `${word} came ${came.get(word) ?? 0} times, not ${count}`);
}
