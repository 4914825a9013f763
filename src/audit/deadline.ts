import type { Database } from '../storage/database.ts';

/** For each page of an audit: nobody waits for an answer, and nothing could be left out. */
const DEADLINE_MS = 600_000;

/** The database, with as much time for each report as an audit may need. */
export function withAuditDeadline(database: Database): Database {
  return { ...database, report: (unit) => database.report(unit, { deadlineMs: DEADLINE_MS }) };
}
