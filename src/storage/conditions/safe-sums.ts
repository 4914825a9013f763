const MAX = String(Number.MAX_SAFE_INTEGER);

/**
 * SQL: the sum, or ±(2^53 − 1) for one beyond, so that a row can be read at all. A sum of amounts that are each in range
 * need not be.
 */
export const clampedSum = (sum: string) =>
  `CAST(CASE WHEN ${sum} > ${MAX} THEN ${MAX} WHEN ${sum} < -${MAX} THEN -${MAX} ELSE ${sum} END AS BIGINT)`;

/** SQL: the sum, or null for one beyond ±(2^53 − 1). */
export const safeSum = (sum: string) => `CASE WHEN ${sum} BETWEEN -${MAX} AND ${MAX} THEN CAST(${sum} AS BIGINT) END`;
