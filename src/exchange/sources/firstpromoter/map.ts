import { z } from 'zod';
import { parseInput } from '../../../schema/parse.ts';
import { refused } from '../../manifest.ts';
import type { MovedPayment, MovedProgram, MovedSale, MovedStatus, NotCarried, SourceItem } from '../../moved/facts.ts';
import { leftOut, leftOutState } from '../left-out.ts';
import {
  destinationOf,
  givenCurrency,
  idField,
  idOrNull,
  joinName,
  minorField,
  oneProgram,
  statusIn,
  textOrNull,
  timeField,
  timeOrNull,
} from '../records.ts';
import { isStripePayment } from '../stripe-ids.ts';
import { ofPromoter, person, personOf, promoterIdIn, type Referrals } from './referrals.ts';

/** The parameters that its script accepts. A company uses one of them, mostly the first. */
const PARAMETERS = ['fpr', 'via', 'fp_ref', 'deal', 'ref', '_from', '_by', '_go'];

/**
 * The API does not return the rewards of campaigns in full, so all promoters join one program here.
 *
 * @param parameters those of its links
 */
export function programOf(parameters: ReadonlySet<string>): MovedProgram {
  return oneProgram('FirstPromoter', parameters.size === 0 ? PARAMETERS.slice(0, 1) : [...parameters]);
}

const campaignSchema = z.object({
  id: idField,
  state: textOrNull,
  ref_token: textOrNull,
  ref_link: textOrNull,
  coupon: textOrNull,
});
type PromoterCampaign = z.output<typeof campaignSchema>;

const promoterSchema = z.object({
  id: idField,
  email: z.string(),
  name: textOrNull,
  cust_id: textOrNull,
  archived_at: timeOrNull,
  profile: z.object({ first_name: textOrNull, last_name: textOrNull }).nullish(),
  promoter_campaigns: z.array(campaignSchema).nullish(),
});

interface Links {
  /** The destination of a link that has none. */
  linkUrl: string | null;
  /** Gets the parameters of the links. */
  parameters: Set<string>;
}

export function partnerItems(record: unknown, links: Links): SourceItem[] {
  const { id, email, profile, cust_id: tenantId, ...promoter } = parseInput(promoterSchema, record);
  const full = joinName(profile?.first_name, profile?.last_name);
  const items: SourceItem[] = [
    {
      kind: 'partner',
      id,
      programId: programOf(links.parameters).id,
      email,
      name: promoter.name ?? (full || email),
      tenantId,
    },
  ];
  const campaigns = promoter.promoter_campaigns ?? [];
  for (const state of unusualStates(promoter.archived_at, campaigns)) {
    items.push(leftOutState(state, { id, email }));
  }
  for (const campaign of campaigns) items.push(...campaignItems(campaign, id, links));
  return items;
}

/** The states in which a promoter cannot refer, each once. */
function unusualStates(archivedAt: number | null, campaigns: readonly PromoterCampaign[]): Iterable<string> {
  const states = new Set(archivedAt === null ? [] : ['archived']);
  for (const { state } of campaigns) if (state !== null && state !== 'accepted') states.add(state);
  return states;
}

function campaignItems(campaign: PromoterCampaign, partnerId: string, links: Links): SourceItem[] {
  const { id, ref_token: key, ref_link: there, coupon: code } = campaign;
  const items: SourceItem[] = [];
  if (key !== null) {
    const parameter = parameterOf(there, key);
    if (parameter !== undefined) links.parameters.add(parameter);
    items.push(linkOf({ id, partnerId, key }, there ?? links.linkUrl, parameter));
  }
  if (code !== null) items.push({ kind: 'code', id, partnerId, code });
  return items;
}

/** The parameter that carries the token of a link. */
function parameterOf(link: string | null, token: string): string | undefined {
  if (link === null || !URL.canParse(link)) return undefined;
  const { searchParams } = new URL(link);
  return PARAMETERS.find((name) => searchParams.get(name) === token);
}

function linkOf(
  link: { id: string; partnerId: string; key: string },
  leadsTo: string | null,
  parameter: string | undefined,
): SourceItem {
  const url = leadsTo === null ? null : destinationOf(leadsTo, parameter === undefined ? [] : [parameter]);
  if (url !== null) return { kind: 'link', domain: null, url, ...link };
  const reason = 'FirstPromoter does not report its destination: give it with --link-url, as an http URL';
  return { kind: 'refused', what: 'link', id: link.id, reason };
}

const STATUSES: Readonly<Record<string, MovedStatus>> = { pending: 'open', approved: 'open', denied: 'reversed' };

const commissionSchema = z.object({
  id: idField,
  status: z.string(),
  is_paid: z.boolean(),
  unit: textOrNull,
  amount: minorField,
  sale_amount: minorField.nullish(),
  event_id: textOrNull,
  created_at: timeField,
  tier: z.number().int().nullish(),
  is_split: z.boolean().nullish(),
  referral: z.object({ id: idOrNull, ...person }).nullish(),
  ...ofPromoter,
});

/** @param currency of the account, because a commission has none */
export function commissionItems(
  record: unknown,
  { currency, referrals }: { currency: string; referrals: Referrals },
): SourceItem[] {
  const commission = parseInput(commissionSchema, record);
  const { id, unit, amount, is_paid: isPaid, created_at: occurredAt } = commission;
  if (unit !== null && unit !== 'cash') {
    return [leftOut('commission', `It is in ${unit}, and only money is paid out here`, id)];
  }
  const of = givenCurrency(currency);
  const status = statusIn(STATUSES, commission.status);
  if (isPaid && status === 'reversed')
    throw refused('It is denied and paid at the same time: decide there which it is');
  const partnerId = promoterIdIn(commission);
  const referralId = commission.referral?.id ?? '';
  const owner = referrals.owners.get(referralId);
  const isShare = isShareOfSale(commission, partnerId, owner);
  const bindsNobody = referrals.ended.has(referralId) || (commission.is_split === true && owner === undefined);
  return [
    {
      kind: 'commission',
      id,
      partnerId,
      amountMinor: amount,
      currency: of,
      status: isPaid ? 'paid' : status,
      occurredAt,
      dueAt: null,
      paidAt: null,
      // a commission does not say which payout it is in
      payout: null,
      payment: isShare ? NO_PAYMENT : paymentOf(commission),
      // a sale would bind the customer; a refund has a negative commission
      sale: isShare || bindsNobody || amount < 0 ? null : saleOf(commission, of),
    },
  ];
}

type PromoterCommission = z.output<typeof commissionSchema>;

/**
 * True for what another promoter earned besides the one of the referral, who has the sale. Without the referral, nobody
 * knows who that is: each share is compared with the sale that the payment may be here.
 */
function isShareOfSale(
  { tier, is_split: isSplit }: PromoterCommission,
  partnerId: string,
  owner: string | undefined,
): boolean {
  return (tier ?? 1) > 1 || (isSplit === true && owner !== undefined && owner !== partnerId);
}

const NO_PAYMENT: MovedPayment = { processor: 'custom', invoiceId: null, references: [] };

function paymentOf({ event_id: eventId }: PromoterCommission): MovedPayment {
  if (eventId === null) return NO_PAYMENT;
  return { processor: isStripePayment(eventId) ? 'stripe' : 'custom', invoiceId: null, references: [eventId] };
}

function saleOf({ referral, sale_amount: amount }: PromoterCommission, currency: string): MovedSale | null {
  const customer = referral == null ? null : personOf(referral);
  if (customer === null || amount == null) return null;
  return { customer, amountMinor: amount, grossMinor: amount, refundedMinor: 0, currency };
}

/** What the API does not return, or what has no place here. */
export const LEFT_OUT: readonly NotCarried[] = [
  leftOut('rewards', 'Campaigns do not report them in full: set the terms in the program here'),
  leftOut('payouts', 'Commissions do not name their payouts: each paid one has its own payout'),
  leftOut('clicks', 'Only their number is reported'),
];
