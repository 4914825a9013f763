import { z } from 'zod';

/** Schemas of members that many resources have in answers. */
export const timeSchema = z.iso.datetime().describe('ISO 8601, UTC.');

export const countSchema = z.int().nonnegative();

/** `usd`: ISO 4217 in lower case. */
export const currencySchema = z.string().regex(/^[a-z]{3}$/);

/** Minor units of a currency given in another member; may be negative. */
export const amountSchema = z.int();

/** `{usd: 500}`: minor units by currency. */
export const moneyByCurrencySchema = z.record(currencySchema, amountSchema);

/** Key-value data as the caller sent it. */
export const metadataSchema = z.record(z.string(), z.unknown());
