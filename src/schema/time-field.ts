import { z } from 'zod';

const PROBLEM = 'must be a time as ISO 8601: "2026-11-30T00:00:00Z", or "2026-11-30" for the start of that day in UTC';

/** ISO 8601 in, epoch milliseconds out: a time with its zone, or a day, which starts at midnight UTC. */
export const timeField = z
  .union([z.iso.datetime({ offset: true }), z.iso.date()], { error: PROBLEM })
  .meta({
    description: 'ISO 8601: a time with its zone, or a day, which starts at midnight UTC.',
    examples: ['2026-11-30T00:00:00Z', '2026-11-30'],
  })
  .transform((text) => Date.parse(text));
