/**
 * The number of entries that one unit of work moves. On SQLite, a unit runs on the thread that answers requests, so
 * this limits how long requests wait. On PostgreSQL, it limits the duration of a statement.
 */
export const SLICE_ENTRIES = 250;
