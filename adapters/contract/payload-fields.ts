/** Schemas of members that several processors share. */

import { z } from 'zod';
import { readEmail, readText } from './readers.ts';

/** For hints: unusable text becomes null, so that it never stops a payment from counting. */
export const optionalText = z.unknown().optional().transform(readText);

/** As `optionalText`. */
export const optionalEmail = z.unknown().optional().transform(readEmail);

export const text = optionalText.pipe(z.string('must be text'));

/** An ISO 8601 time, as epoch milliseconds. */
export const isoTime = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 time' })
  .transform((value) => Date.parse(value));

/** Lower case, as in facts. `fact-limits.ts` checks that ISO 4217 has the code. */
export const currency = z.string('must be a currency code').transform((code) => code.toLowerCase());

/** Metadata and other members that are read defensively: any value is valid. */
export const anything = z.unknown().optional();
