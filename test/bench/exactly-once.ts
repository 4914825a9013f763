/** The requests to one contender, by the ids of what they store. */
export interface Tally {
  acknowledged: string[];
  refused: string[];
}

/**
 * The share of a contender's requests that may be refused: when the machine stands still for some seconds, limits of time
 * end what was sent at once, a few dozen of many thousands. A server that keeps refusing exceeds it.
 */
export const REFUSED_SHARE_MAX = 0.01;

export function createTally(): Tally {
  return { acknowledged: [], refused: [] };
}

/** Adds requests with these `ids`, of which those at `refusedAt` were refused. */
export function addTo(tally: Tally, ids: readonly string[], refusedAt: readonly number[]): void {
  const refused = new Set(refusedAt);
  for (const [index, id] of ids.entries()) (refused.has(index) ? tally.refused : tally.acknowledged).push(id);
}

/** Whether more are refused than one stall of the machine explains. */
export function areTooManyRefused(refused: number, acknowledged: number): boolean {
  return refused > (refused + acknowledged) * REFUSED_SHARE_MAX;
}

/**
 * What is wrong: each acknowledged id must be stored once. A refused one may be stored once, too, because its sender cannot
 * know what became of it. Nothing else may be stored.
 *
 * @param stored the id of every row, those that are stored twice twice
 */
export function differencesOf({ acknowledged, refused }: Tally, stored: readonly string[]): string[] {
  const distinct = new Set(stored);
  const sent = new Set([...acknowledged, ...refused]);
  const lost = acknowledged.filter((id) => !distinct.has(id));
  const problems = [
    ...problemOf(lost.length, `acknowledged and not stored, such as ${lost[0]}`),
    ...problemOf(stored.length - distinct.size, 'stored twice'),
    ...problemOf([...distinct].filter((id) => !sent.has(id)).length, 'stored and never sent'),
  ];
  if (!areTooManyRefused(refused.length, acknowledged.length)) return problems;
  return [...problems, `${refused.length} of ${sent.size} refused, at most ${REFUSED_SHARE_MAX * 100} % may be`];
}

function problemOf(count: number, what: string): string[] {
  return count > 0 ? [`${count} ${what}`] : [];
}
