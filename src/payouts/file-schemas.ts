import { z } from 'zod';
import { pageInput, pageOfSchema } from '../app/page.ts';
import { PAYOUT_STATUSES } from '../core/payout.ts';
import { PROBLEMS_MAX } from '../errors.ts';
import type { FileOptions, FileRailName } from '../rails/contract/rail.ts';
import { FILE_RAIL_NAMES, FILE_RAILS } from '../rails/index.ts';
import { amountSchema, countSchema, currencySchema, timeSchema } from '../schema/answer-fields.ts';
import { currencyField, freeText, optional, text } from '../schema/fields.ts';

/** The number of payouts in the largest possible file. */
const PAYOUTS_MAX = 5_000;

const common = {
  payoutIds: optional(
    z.preprocess(
      withoutSurplusProblems,
      z
        .array(text())
        .min(1, 'must not be empty')
        .max(PAYOUTS_MAX, `must have at most ${PAYOUTS_MAX} ids`)
        .overwrite((ids) => [...new Set(ids)]),
    ),
  ).describe('Only these payouts; by default all that are processing, in no file yet and not being sent.'),
  currency: optional(currencyField).describe('A file has one currency; required if payouts wait in several.'),
};

/** Cuts a list of ids once it has more faulty entries than an error names: to find thousands takes 10 ms. */
function withoutSurplusProblems(ids: unknown): unknown {
  if (!Array.isArray(ids) || ids.length > PAYOUTS_MAX) return ids;
  let problems = 0;
  const last = ids.findIndex((id) => typeof id !== 'string' && ++problems > PROBLEMS_MAX);
  return last === -1 ? ids : ids.slice(0, last + 1);
}

interface FileRequest {
  rail: FileRailName;
  payoutIds: string[] | null;
  currency: string | null;
}

/** The input of a file: the rail, and the other values that the rail needs. */
export const payoutFileInput = z
  .discriminatedUnion(
    'rail',
    FILE_RAIL_NAMES.map((rail) =>
      z.object({ rail: z.literal(rail), ...common, ...FILE_RAILS[rail].options.shape }),
    ) as unknown as [z.ZodObject, ...z.ZodObject[]],
    { error: `must be one of ${FILE_RAIL_NAMES.join(', ')}` },
  )
  .meta({ id: 'PayoutFileInput' }) as unknown as z.ZodType<PayoutFileInput, object>;

export type PayoutFileInput = FileRequest & FileOptions;

export const payoutFileListQuery = pageInput('pfl');

const fileMembers = {
  id: z.string(),
  rail: z.enum(FILE_RAIL_NAMES),
  currency: currencySchema,
  payoutCount: countSchema,
  amount: amountSchema.describe('The sum, in minor units.'),
  fileName: z.string(),
  createdAt: timeSchema,
  createdBy: z.string().describe('The id of an API key or operator, or `command line`.'),
  canceledAt: timeSchema.nullable().describe('Since then its payouts may go into another file.'),
};

export const payoutFileSchema = z.object(fileMembers).meta({ id: 'PayoutFile' });

export type PayoutFileResource = z.input<typeof payoutFileSchema>;

export const payoutFileListSchema = pageOfSchema(payoutFileSchema, 'PayoutFileList');

const payoutInFileSchema = z
  .object({
    id: z.string(),
    shortId: z.string().describe('Names the payout in the file and in reports about it.'),
    partnerId: z.string(),
    partnerName: z.string(),
    amount: amountSchema.describe('Minor units.'),
    currency: currencySchema,
    status: z.enum(PAYOUT_STATUSES),
    paidAt: timeSchema.nullable(),
    note: z.string().nullable(),
  })
  .meta({ id: 'PayoutInFile' });

export const payoutsOfFileQuery = pageInput('pay');

export const payoutsOfFileSchema = z
  .object({
    file: payoutFileSchema,
    data: z.array(payoutInFileSchema).describe('The payouts in it, newest first.'),
    nextCursor: z.string().nullable().describe('Send it as `cursor` for the next page; null on the last page.'),
  })
  .meta({ id: 'PayoutsOfFile' });

export type PayoutsOfFile = z.input<typeof payoutsOfFileSchema>;

const leftOutSchema = z
  .object({ payoutId: z.string(), partnerId: z.string(), partnerName: z.string(), reason: z.string() })
  .meta({ id: 'LeftOutPayout', description: 'A payout that is not in the file, and why.' });

export type LeftOutPayout = z.input<typeof leftOutSchema>;

export const newPayoutFileSchema = z
  .object({
    ...fileMembers,
    leftOut: z.array(leftOutSchema).describe('At most the first 1,000.'),
    leftOutCount: countSchema,
    isFull: z.boolean().describe('True when the file is full and more payouts wait: make another one.'),
  })
  .meta({ id: 'NewPayoutFile' });

export type NewPayoutFile = z.input<typeof newPayoutFileSchema>;

const resultField = z.object({
  id: text().describe('The short id from the file, or the id of the payout.'),
  status: z.enum(['paid', 'failed'], { error: 'must be paid or failed' }),
  reason: optional(freeText(500)).describe('Becomes the note of the payout.'),
});

export const fileResultsInput = z
  .object({
    results: z
      .array(resultField)
      .min(1, 'must not be empty')
      .max(PAYOUTS_MAX, `must have at most ${PAYOUTS_MAX} results`),
  })
  .meta({ id: 'FileResultsInput' });

export type FileResult = z.output<typeof resultField>;

export const fileResultsSchema = z
  .object({
    paid: countSchema,
    failed: countSchema,
    unchanged: countSchema.describe('Already recorded, with the same result.'),
    problems: z.array(z.object({ id: z.string(), message: z.string() })).describe('Results that were not recorded.'),
  })
  .meta({ id: 'FileResults' });

export type FileResults = z.input<typeof fileResultsSchema>;
