/** Sorts before all delivery ids. */
export const BEFORE_ALL = 'dlv_';
/** Leaves the thread and the disk to other work between two units. */
export const PAUSE_MS = 20;
/** On PostgreSQL, the clocks of two processes may be wrong by five minutes each, in opposite directions, as for signatures. */
export const SKEW_MS = { sqlite: 0, postgres: 600_000 };

/**
 * Other writes wait for a unit, so it is limited in bytes as well as in count. Freeing a large body costs as much as
 * freeing a hundred small ones, because SQLite reads each of its pages.
 */
const BYTES_PER_UNIT = 512 * 1024;

/** The first deliveries whose bodies fit into one unit; at least one, unless there is none. */
export function firstUnit<Sized extends { bytes: number }>(deliveries: readonly Sized[]): Sized[] {
  let bytes = 0;
  const end = deliveries.findIndex((delivery, index) => {
    bytes += delivery.bytes;
    return index > 0 && bytes > BYTES_PER_UNIT;
  });
  return end === -1 ? [...deliveries] : deliveries.slice(0, end);
}
