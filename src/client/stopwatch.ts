/** Whole milliseconds since some moment, which a change of the system's clock does not affect. */
export function stopwatchMs(): number {
  return Math.ceil(performance.now());
}
