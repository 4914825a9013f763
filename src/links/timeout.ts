/** How long a visitor of a link waits for the database. */
export const DATABASE_TIMEOUT_MS = 1_000;
