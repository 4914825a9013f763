import { z } from 'zod';
import { parseInput } from '../../../schema/parse.ts';
import { refused } from '../../manifest.ts';
import type { MovedPayment, MovedPerson, MovedSale, MovedStatus, NotCarried, SourceItem } from '../../moved/facts.ts';
import {
  currencyIn,
  destinationOf,
  idField,
  idOrNull,
  minorField,
  oneProgram,
  statusIn,
  textOrNull,
  timeField,
  timeOrNull,
} from '../records.ts';
import { isStripePayment } from '../stripe-payment.ts';

const VIA = ['fpr'];

/** The API does not return the rewards of campaigns in full, so all promoters join one program here. */
export const PROGRAM = oneProgram('FirstPromoter', VIA);

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

/** @param linkUrl the destination of a link that has none */
export function partnerItems(record: unknown, linkUrl: string | null): SourceItem[] {
  const { id, email, profile, cust_id: tenantId, ...promoter } = parseInput(promoterSchema, record);
  const full = [profile?.first_name, profile?.last_name].filter((part) => part != null).join(' ');
  const items: SourceItem[] = [
    { kind: 'partner', id, programId: PROGRAM.id, email, name: promoter.name ?? (full || email), tenantId },
  ];
  const campaigns = promoter.promoter_campaigns ?? [];
  for (const state of unusualStates(promoter.archived_at, campaigns)) {
    const reason = `${email} is ${state} there, and active here: archive the partner if they should not refer`;
    items.push({ kind: 'left out', what: 'partner state', id, reason });
  }
  for (const campaign of campaigns) items.push(...campaignItems(campaign, id, linkUrl));
  return items;
}

/** The states in which a promoter cannot refer, each once. */
function unusualStates(archivedAt: number | null, campaigns: readonly PromoterCampaign[]): Iterable<string> {
  const states = new Set(archivedAt === null ? [] : ['archived']);
  for (const { state } of campaigns) if (state !== null && state !== 'accepted') states.add(state);
  return states;
}

function campaignItems(campaign: PromoterCampaign, partnerId: string, linkUrl: string | null): SourceItem[] {
  const { id, ref_token: key, ref_link: there, coupon: code } = campaign;
  const items: SourceItem[] = [];
  if (key !== null) items.push(linkOf({ id, partnerId, key }, there ?? linkUrl));
  if (code !== null) items.push({ kind: 'code', id, partnerId, code });
  return items;
}

function linkOf(link: { id: string; partnerId: string; key: string }, leadsTo: string | null): SourceItem {
  const url = leadsTo === null ? null : destinationOf(leadsTo, VIA);
  if (url !== null) return { kind: 'link', domain: null, url, ...link };
  const reason = 'FirstPromoter does not report its destination: give it with --link-url, as an http URL';
  return { kind: 'refused', what: 'link', id: link.id, reason };
}

const promoterField = z.object({ id: idField }).nullish();
/** A record that names its promoter, directly or in its campaign. */
const ofPromoter = {
  promoter: promoterField,
  promoter_campaign: z.object({ promoter_id: idOrNull, promoter: promoterField }).nullish(),
};

function promoterIdIn({ promoter, promoter_campaign: campaign }: z.output<z.ZodObject<typeof ofPromoter>>): string {
  const id = promoter?.id ?? campaign?.promoter_id ?? campaign?.promoter?.id;
  if (id === undefined) throw refused('It does not say which promoter it belongs to');
  return id;
}

const person = { email: textOrNull, uid: textOrNull };
const split = z.array(z.looseObject({})).nullish();
const referralSchema = z.object({ id: idField, ...person, split_details: split, ...ofPromoter });

export function customerItems(record: unknown): SourceItem[] {
  const referral = parseInput(referralSchema, record);
  const { id, split_details: others } = referral;
  const leaveOut = (what: string, reason: string): SourceItem => ({ kind: 'left out', what, id, reason });
  const found = personOf(referral);
  if (found === null) return [leaveOut('customer', 'It has no uid, so no payment could name it')];
  const customer: SourceItem = { kind: 'customer', id, partnerId: promoterIdIn(referral), ...found };
  if (others == null || others.length === 0) return [customer];
  return [
    customer,
    leaveOut('split', 'Its commissions are split there; here its payments earn the first promoter only'),
  ];
}

/** A uid that is a Stripe id also names the customer at Stripe. */
function personOf({ uid, email }: { uid: string | null; email: string | null }): MovedPerson | null {
  if (uid === null) return null;
  const atProcessor = uid.startsWith('cus_') ? ({ processor: 'stripe', customerId: uid } as const) : null;
  return { externalId: uid, email, name: null, atProcessor };
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
  referral: z.object(person).nullish(),
  ...ofPromoter,
});

/** @param currency of the account, because a commission has none */
export function commissionItems(record: unknown, currency: string): SourceItem[] {
  const commission = parseInput(commissionSchema, record);
  const { id, unit, amount, is_paid: isPaid, created_at: occurredAt } = commission;
  if (unit !== null && unit !== 'cash') {
    return [{ kind: 'left out', what: 'commission', id, reason: `It is in ${unit}, and only money is paid out here` }];
  }
  const of = parseInput(z.object({ currency: currencyIn }), { currency }).currency;
  const status = statusIn(STATUSES, commission.status);
  if (isPaid && status === 'reversed')
    throw refused('It is denied and paid at the same time: decide there which it is');
  return [
    {
      kind: 'commission',
      id,
      partnerId: promoterIdIn(commission),
      amountMinor: amount,
      currency: of,
      status: isPaid ? 'paid' : status,
      occurredAt,
      dueAt: null,
      paidAt: null,
      // a commission does not say which payout it is in
      payout: null,
      payment: paymentOf(commission),
      sale: saleOf(commission, of),
    },
  ];
}

type PromoterCommission = z.output<typeof commissionSchema>;

function paymentOf({ event_id: eventId }: PromoterCommission): MovedPayment {
  if (eventId === null) return { processor: 'custom', invoiceId: null, references: [] };
  return { processor: isStripePayment(eventId) ? 'stripe' : 'custom', invoiceId: null, references: [eventId] };
}

function saleOf({ referral, sale_amount: amount }: PromoterCommission, currency: string): MovedSale | null {
  const customer = referral == null ? null : personOf(referral);
  if (customer === null || amount == null) return null;
  return { customer, amountMinor: amount, grossMinor: amount, currency };
}

/** What the API does not return, or what has no place here. */
export const LEFT_OUT: readonly NotCarried[] = [
  {
    kind: 'left out',
    what: 'rewards',
    id: '',
    reason: 'Campaigns do not report them in full: set the terms in the program here',
  },
  {
    kind: 'left out',
    what: 'payouts',
    id: '',
    reason: 'Commissions do not name their payouts: each paid one has its own payout',
  },
  { kind: 'left out', what: 'clicks', id: '', reason: 'Only their number is reported' },
];
