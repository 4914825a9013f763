const MAX = String(Number.MAX_SAFE_INTEGER);

/**
 * SQL: the sum, clamped to ±(2^53 − 1) so that the row stays readable: amounts that are each in range can add up to
 * more.
 */
export const clampedSum = (sum: string) =>
  `CAST(CASE WHEN ${sum} > ${MAX} THEN ${MAX} WHEN ${sum} < -${MAX} THEN -${MAX} ELSE ${sum} END AS BIGINT)`;

/** SQL: the sum, or null when it is beyond ±(2^53 − 1). */
export const safeSum = (sum: string) => `CASE WHEN ${sum} BETWEEN -${MAX} AND ${MAX} THEN CAST(${sum} AS BIGINT) END`;
