/**
 * Entries that one unit of work moves. On SQLite a unit runs on the thread that answers requests, so this bounds how long
 * all of them wait; on PostgreSQL it bounds how long a statement takes.
 */
export const SLICE_ENTRIES = 250;
