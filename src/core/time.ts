export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Epoch milliseconds as ISO 8601 in UTC. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The day of a time in UTC: `2026-11-30`. */
export function isoDate(epochMs: number): string {
  return isoTime(epochMs).slice(0, 10);
}

/** Like `isoTime`; null stays null. */
export function isoTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoTime(epochMs);
}

/** The same ISO 8601 time in UTC if it names no zone: `Date.parse` would read it in the machine's own. */
export function withZone(time: string): string {
  return /^\d{4}-\d{2}-\d{2}[T ][\d:.]+$/.test(time) ? `${time}Z` : time;
}

/** Epoch milliseconds: `from` is inclusive, `to` exclusive; null for an open end. */
export interface Period {
  from: number | null;
  to: number | null;
}
