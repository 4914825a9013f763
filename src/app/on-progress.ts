/**
 * For a caller in this process; receives counts of what a long run has done so far: `{payoutCount: 3, entryCount:
 * 20_000}`.
 */
export type OnProgress = (soFar: Readonly<Record<string, number>>) => void;
