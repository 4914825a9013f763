import { z } from 'zod';

const PROBLEM = 'must be a time as ISO 8601: "2026-11-30T00:00:00Z", or "2026-11-30" for the begin of that day in UTC';

/** A moment as ISO 8601, with its zone, or a day, which begins at midnight UTC. Epoch milliseconds out. */
export const timeField = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], { error: PROBLEM })
  .transform((text) => Date.parse(text));
