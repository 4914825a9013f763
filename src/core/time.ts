export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Epoch milliseconds as ISO 8601 in UTC. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** Like `isoTime`; null stays null. */
export function isoTimeOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : isoTime(epochMs);
}

/** Epoch milliseconds: `from` is inclusive, `to` exclusive; null for an open end. */
export interface Period {
  from: number | null;
  to: number | null;
}
