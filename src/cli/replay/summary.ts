import { formatTable } from '../terminal/table.ts';
import { type Expectation, isExpected, missedCounts } from './expectation.ts';
import type { Answer } from './post-delivery.ts';

export interface OutcomeSummary {
  outcome: string;
  count: number;
  p50Ms: number;
  p99Ms: number;
}

/** Statistics of a run. */
export interface Summary {
  deliveries: number;
  /** The number of unexpected answers. */
  unexpected: number;
  /** Messages about counts that were not met. */
  missed: string[];
  seconds: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Most frequent first. */
  outcomes: OutcomeSummary[];
}

/** @param elapsedMs duration of the whole run; less than the sum of its answers if some ran concurrently */
export function summaryOf(answers: readonly Answer[], expectation: Expectation, elapsedMs: number): Summary {
  const byOutcome = Map.groupBy(answers, ({ outcome }) => outcome);
  const outcomes = [...byOutcome]
    .map(([outcome, group]) => ({ outcome, count: group.length, ...percentilesOf(group) }))
    .sort((a, b) => b.count - a.count);
  return {
    deliveries: answers.length,
    unexpected: answers.filter((answer) => !isExpected(expectation, answer)).length,
    missed: missedCounts(expectation, answers),
    seconds: Math.round(elapsedMs) / 1000,
    perSecond: elapsedMs > 0 ? Math.round((answers.length * 1000) / elapsedMs) : 0,
    ...percentilesOf(answers),
    outcomes,
  };
}

export function formatSummary(summary: Summary): string {
  const rows = summary.outcomes.map(({ outcome, count, p50Ms, p99Ms }) => [outcome, count, p50Ms, p99Ms]);
  const { deliveries, seconds, perSecond, p50Ms, p99Ms, unexpected, missed } = summary;
  return [
    formatTable(['outcome', 'count', 'p50 ms', 'p99 ms'], rows),
    '',
    `${deliveries} ${deliveries === 1 ? 'delivery' : 'deliveries'} in ${seconds} s (${perSecond}/s), p50 ${p50Ms} ms, p99 ${p99Ms} ms, ${unexpected} unexpected`,
    ...missed,
  ].join('\n');
}

function percentilesOf(answers: readonly Answer[]): { p50Ms: number; p99Ms: number } {
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  return { p50Ms: percentile(sorted, 50), p99Ms: percentile(sorted, 99) };
}

function percentile(sorted: readonly number[], percent: number): number {
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? 0;
}
