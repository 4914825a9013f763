import type { Database } from '../storage/database.ts';

/** For each query of an audit: no request waits for it, and an audit cannot skip a page. */
const DEADLINE_MS = 600_000;

/** Returns the database with the deadline of an audit for every report. */
export function withAuditDeadline(database: Database): Database {
  return { ...database, report: (unit) => database.report(unit, { deadlineMs: DEADLINE_MS }) };
}
