/**
 * A partner has sums of single days and of blocks of so many days, which start at multiples of this number. A program has
 * sums of single days only.
 */
export const BLOCK_DAYS = 32;

/**
 * The number of rows that a program has per day and currency, so that concurrent units on PostgreSQL rarely wait for
 * one row.
 */
export const PROGRAM_PARTS = 16;

/** The parts of a program's rows, as a list for SQL: `'0', '1', …`. */
export const PARTS_OF_PROGRAM = Array.from({ length: PROGRAM_PARTS }, (_, part) => `'${part}'`).join(', ');
