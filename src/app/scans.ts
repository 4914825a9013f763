import type { Mark } from './person-marks.ts';
import type { Scan } from './queries/scans.ts';

export { endScan, extendScan, findScan, findScannedAccounts, moveScan, restartScan } from './queries/scans.ts';

/**
 * Returns the marks that a scan needs at a position: call it with each position, after that was read. They are read
 * again when an erasure has restarted the scan, because it added marks.
 */
export function createScanMarks(
  read: () => Promise<ReadonlySet<Mark>>,
): (position: Scan) => Promise<ReadonlySet<Mark>> {
  let known: { marks: ReadonlySet<Mark>; position: Scan } | undefined;
  return async (position) => {
    // a server of the previous release restarts the scan without another id
    const isRestarted = position.restartId !== known?.position.restartId || position.lastId < known.position.lastId;
    known = { marks: known === undefined || isRestarted ? await read() : known.marks, position };
    return known.marks;
  };
}
