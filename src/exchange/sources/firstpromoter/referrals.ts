import { z } from 'zod';
import { parseInput } from '../../../schema/parse.ts';
import { refused } from '../../manifest.ts';
import type { MovedPerson, SourceItem } from '../../moved/facts.ts';
import { leftOut } from '../left-out.ts';
import { EARNS_NO_MORE, idField, idOrNull, textOrNull } from '../records.ts';
import { customerAtStripe } from '../stripe-ids.ts';

const promoterField = z.object({ id: idField }).nullish();
/** A record that names its promoter, directly or in its campaign. */
export const ofPromoter = {
  promoter: promoterField,
  promoter_campaign: z.object({ promoter_id: idOrNull, promoter: promoterField }).nullish(),
};

type OfPromoter = z.output<z.ZodObject<typeof ofPromoter>>;

function promoterOf({ promoter, promoter_campaign: campaign }: OfPromoter): string | undefined {
  return promoter?.id ?? campaign?.promoter_id ?? campaign?.promoter?.id;
}

export function promoterIdIn(record: OfPromoter): string {
  const id = promoterOf(record);
  if (id === undefined) throw refused('It does not say which promoter it belongs to');
  return id;
}

export const person = { email: textOrNull, uid: textOrNull };
const split = z.array(z.looseObject({})).nullish();
const referralSchema = z.object({
  id: idField,
  ...person,
  state: textOrNull,
  is_expired: z.boolean().nullish(),
  split_details: split,
  ...ofPromoter,
});

/** All referrals, which are read before their commissions. */
export interface Referrals {
  /** Those whose later payments earn nothing. */
  ended: Set<string>;
  /** The promoter of each; where several share it, the first one. */
  owners: Map<string, string>;
}

export function customerItems(record: unknown, referrals: Referrals): SourceItem[] {
  const referral = parseInput(referralSchema, record);
  const { id, split_details: others } = referral;
  const owner = promoterOf(referral);
  if (owner !== undefined) referrals.owners.set(id, owner);
  const end = endOf(referral);
  if (end !== null) {
    referrals.ended.add(id);
    return [leftOut('customer', `It ${end} there: ${EARNS_NO_MORE}`, id)];
  }
  const found = personOf(referral);
  if (found === null) return [leftOut('customer', 'It has no uid, so no payment could name it', id)];
  const customer: SourceItem = { kind: 'customer', id, partnerId: promoterIdIn(referral), ...found };
  if (others == null || others.length === 0) return [customer];
  return [
    customer,
    leftOut('split', 'Its commissions are split there; here its payments earn the first promoter only', id),
  ];
}

function endOf({ state, is_expired: isExpired }: z.output<typeof referralSchema>): string | null {
  if (state === 'denied') return 'is denied';
  if (state === 'moved') return 'was moved to another promoter';
  return isExpired === true ? 'has expired' : null;
}

/** A uid that is a Stripe id also names the customer at Stripe. */
export function personOf({ uid, email }: { uid: string | null; email: string | null }): MovedPerson | null {
  if (uid === null) return null;
  return { externalId: uid, email, name: null, atProcessor: customerAtStripe(uid) };
}
