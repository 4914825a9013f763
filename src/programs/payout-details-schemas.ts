import { z } from 'zod';
import type { PayoutDetailsView, RailName } from '../rails/contract/rail.ts';
import { FILE_RAIL_NAMES, RAIL_NAMES, RAILS, TRANSFER_RAIL_NAMES } from '../rails/index.ts';

type Alternatives = [z.ZodObject, ...z.ZodObject[]];

const forEachRail = (alternative: (rail: RailName) => z.ZodObject, rails: readonly RailName[] = RAIL_NAMES) =>
  rails.map(alternative) as Alternatives;

const asInput = (rail: RailName) => z.object({ rail: z.literal(rail), ...RAILS[rail].details.shape });

/** How a partner is to be paid: a rail, and the details that the rail needs. */
export const payoutDetailsInput = z
  .discriminatedUnion('rail', forEachRail(asInput), { error: `must be one of ${RAIL_NAMES.join(', ')}` })
  .meta({ id: 'PayoutDetailsInput' }) as unknown as z.ZodType<PayoutDetailsView, PayoutDetailsView>;

/** The same, for partners: an account at a provider is opened with the provider, so that it is theirs. */
export const ownPayoutDetailsInput = z
  .discriminatedUnion('rail', forEachRail(asInput, FILE_RAIL_NAMES), {
    error:
      `must be one of ${FILE_RAIL_NAMES.join(', ')}; an account at ${TRANSFER_RAIL_NAMES.join(' or ')} is opened there, ` +
      'with a link from POST /api/embed/referrals/payout-onboarding',
  })
  .meta({ id: 'OwnPayoutDetailsInput' }) as unknown as z.ZodType<PayoutDetailsView, PayoutDetailsView>;

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
