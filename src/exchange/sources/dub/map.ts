import { z } from 'zod';
import { parseInput } from '../../../schema/parse.ts';
import { refused } from '../../manifest.ts';
import type { MovedPayout, MovedPerson, MovedStatus, NotCarried, SourceItem } from '../../moved/facts.ts';
import { leftOut, leftOutState } from '../left-out.ts';
import {
  currencyIn,
  destinationOf,
  idField,
  minorField,
  oneProgram,
  type PayoutOfCommission,
  statusIn,
  textOrNull,
  timeField,
  timeOrNull,
} from '../records.ts';

const VIA = ['via'];

/** A workspace has one program; the API does not return its rewards. */
export const PROGRAM = oneProgram('Dub', VIA, 'program');

const linkSchema = z.object({ id: idField, domain: z.string(), key: z.string(), url: z.string() });

const partnerSchema = z.object({
  id: idField,
  name: textOrNull,
  email: textOrNull,
  tenantId: textOrNull,
  status: textOrNull,
  /** All of them: the list of links leaves out those in folders, where programs keep their links, and archived ones. */
  links: z.array(linkSchema).nullish(),
});

export function partnerItems(record: unknown): SourceItem[] {
  const { id, name, email, tenantId, status, links } = parseInput(partnerSchema, record);
  if (email === null) throw refused('It has no e-mail address, by which partners are identified here');
  const items: SourceItem[] = [{ kind: 'partner', id, programId: PROGRAM.id, email, name: name ?? email, tenantId }];
  if (status !== null && status !== 'approved') {
    items.push(leftOutState(status, { id, email }));
  }
  return [...items, ...(links ?? []).flatMap((link) => linkItems(link, id))];
}

/** Dub's own domains: a link there cannot be pointed to another service. */
const DOMAINS_OF_DUB = ['dub.sh', 'dub.link'];

function linkItems({ id, domain, key, url }: z.output<typeof linkSchema>, partnerId: string): SourceItem[] {
  const destination = destinationOf(url, VIA);
  if (destination === null) {
    return [{ kind: 'refused', what: 'link', id, reason: `${JSON.stringify(url)} is not an http URL` }];
  }
  const isOfDub = DOMAINS_OF_DUB.includes(domain);
  const link = { kind: 'link', id, partnerId, domain: isOfDub ? null : domain, key, url: destination } as const;
  const reason = `${domain} stays with Dub: ?via=${key} works, and so does the key on the domain here; ${domain}/${key} does not`;
  return isOfDub ? [link, leftOut('address of a link', reason, id)] : [link];
}

const customerSchema = z.object({
  id: idField,
  externalId: textOrNull,
  name: textOrNull,
  email: textOrNull,
  stripeCustomerId: textOrNull,
  partner: z.object({ id: idField }).nullish(),
});

export function customerItems(record: unknown): SourceItem[] {
  const customer = parseInput(customerSchema, record);
  const { id, partner } = customer;
  const leaveOut = (reason: string) => [leftOut('customer', reason, id)];
  if (partner == null) return leaveOut('No partner referred it');
  const person = personOf(customer);
  if (person === null) return leaveOut('It has neither an external id nor one of Stripe, so no payment could name it');
  return [{ kind: 'customer', id, partnerId: partner.id, ...person }];
}

function personOf({
  externalId,
  name,
  email,
  stripeCustomerId: customerId,
}: Omit<z.output<typeof customerSchema>, 'id' | 'partner'>): MovedPerson | null {
  const id = externalId ?? customerId;
  if (id === null) return null;
  const atProcessor = customerId === null ? null : ({ processor: 'stripe', customerId } as const);
  return { externalId: id, email, name, atProcessor };
}

/** All payouts, which are read before the commissions in them. */
export interface Payouts {
  paid: MovedPayout[];
  underway: PayoutOfCommission[];
  ofCommission: Map<string, PayoutOfCommission>;
}

const payoutSchema = z.object({
  id: idField,
  amount: minorField,
  currency: currencyIn,
  status: z.string(),
  paidAt: timeOrNull,
  partner: z.object({ id: idField }),
});

const PAID = ['sent', 'completed'];
const UNDERWAY = ['processing', 'processed'];
const NOT_PAID = ['pending', 'hold', 'failed', 'canceled'];

/** Adds a payout to the others. An unpaid payout becomes nothing: its commissions are open. */
export function readPayout(record: unknown, { paid, underway }: Payouts): SourceItem[] {
  const { id, amount, currency, status, paidAt, partner } = parseInput(payoutSchema, record);
  const leaveOut = (reason: string) => [leftOut('payout', reason, id)];
  if (PAID.includes(status)) {
    if (paidAt === null) throw refused('It is paid, but does not say when');
    paid.push({ kind: 'payout', id, partnerId: partner.id, amountMinor: amount, currency, paidAt });
    return [];
  }
  if (UNDERWAY.includes(status)) {
    underway.push({ id, paidAt: null });
    return leaveOut('It is being paid: import again when it is paid');
  }
  if (NOT_PAID.includes(status)) return leaveOut(`It is ${status}: the part that is owed is open here`);
  throw refused(`Its status ${JSON.stringify(status)} is not known here`);
}

const STATUSES: Readonly<Record<string, MovedStatus>> = {
  pending: 'open',
  processed: 'open',
  paid: 'paid',
  refunded: 'reversed',
  duplicate: 'reversed',
  fraud: 'reversed',
  canceled: 'reversed',
};
/** The list of commissions has those with these statuses only if it is asked for them. */
export const HIDDEN_STATUSES = ['duplicate', 'fraud', 'canceled'] as const;
const TYPES_WITHOUT_SALE = ['click', 'lead', 'custom', 'referral'];

const commissionSchema = z.object({
  id: idField,
  type: z.string(),
  /** What was sold; `earnings` is the commission. */
  amount: minorField,
  earnings: minorField,
  currency: currencyIn,
  status: z.string(),
  invoiceId: textOrNull,
  createdAt: timeField,
  paidAt: timeOrNull,
  partner: z.object({ id: idField }),
  customer: customerSchema.omit({ partner: true }).nullish(),
});

const withId = z.object({ id: idField });

/** @throws ServiceError `VALIDATION_ERROR` for a record without an id */
export function recordIdOf(record: unknown): string {
  return parseInput(withId, record).id;
}

/** @param payouts the payout of each commission that is in one */
export function commissionItems(record: unknown, payouts: ReadonlyMap<string, PayoutOfCommission>): SourceItem[] {
  const commission = parseInput(commissionSchema, record);
  const { id, type, amount, earnings, currency, invoiceId, createdAt, partner, customer } = commission;
  if (type !== 'sale' && !TYPES_WITHOUT_SALE.includes(type)) {
    throw refused(`Its type ${JSON.stringify(type)} is not known here`);
  }
  const status = statusIn(STATUSES, commission.status);
  const payout = payouts.get(id);
  if (payout?.paidAt === null) throw refused(`Its payout ${payout.id} is being paid: import again when it is paid`);
  const person = type === 'sale' && customer != null ? personOf(customer) : null;
  const amounts = { amountMinor: amount, grossMinor: amount, refundedMinor: 0, currency };
  return [
    {
      kind: 'commission',
      id,
      partnerId: partner.id,
      amountMinor: earnings,
      currency,
      status,
      occurredAt: createdAt,
      dueAt: null,
      paidAt: status === 'paid' ? commission.paidAt : null,
      payout: status === 'paid' && payout?.paidAt != null ? { id: payout.id, paidAt: payout.paidAt } : null,
      payment: { processor: 'stripe', invoiceId, references: [] },
      sale: person && { customer: person, ...amounts },
    },
  ];
}

/** What the API does not return, or what has no place here. */
export const LEFT_OUT: readonly NotCarried[] = [
  leftOut('rewards', 'The API does not report them: set the terms in the program here'),
  leftOut('discount codes', 'The API does not list them: import them from a CSV file'),
  leftOut('clicks', 'The API reports only their number'),
];
