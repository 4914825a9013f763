import { z } from 'zod';
import type { PayoutDetailsView, RailName } from '../rails/contract/rail.ts';
import { RAIL_NAMES, RAILS } from '../rails/index.ts';

type Alternatives = [z.ZodObject, ...z.ZodObject[]];

const forEachRail = (alternative: (rail: RailName) => z.ZodObject) => RAIL_NAMES.map(alternative) as Alternatives;

/** How a partner is to be paid: a rail, and the details that the rail needs. */
export const payoutDetailsInput = z
  .discriminatedUnion(
    'rail',
    forEachRail((rail) => z.object({ rail: z.literal(rail), ...RAILS[rail].details.shape })),
    { error: `must be one of ${RAIL_NAMES.join(', ')}` },
  )
  .meta({ id: 'PayoutDetailsInput' }) as unknown as z.ZodType<PayoutDetailsView, PayoutDetailsView>;

const shown = ([name, member]: [string, unknown]) =>
  [
    name,
    z
      .string()
      .nullable()
      .describe((member as z.ZodType).description ?? ''),
  ] as const;

/** How a partner is to be paid, masked. */
export const payoutDetailsSchema = z
  .discriminatedUnion(
    'rail',
    forEachRail((rail) =>
      z.object({ rail: z.literal(rail), ...Object.fromEntries(Object.entries(RAILS[rail].details.shape).map(shown)) }),
    ),
  )
  .meta({
    id: 'PayoutDetails',
    description: 'How the partner wants to be paid. Addresses and account numbers are masked with `…`.',
  }) as unknown as z.ZodType<PayoutDetailsView, PayoutDetailsView>;
