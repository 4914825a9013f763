export const DAY_MS = 86_400_000;

/** ISO 8601 in UTC, of epoch milliseconds. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** The same; null stays null. */
export function isoTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoTime(epochMs);
}

/** Epoch milliseconds: from `from` on and before `to`; null where that end is open. */
export interface Period {
  from: number | null;
  to: number | null;
}
