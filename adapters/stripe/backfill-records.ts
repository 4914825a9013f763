import { z } from 'zod';
import { backfillKey } from '../contract/backfill.ts';
import { API_VERSION, type ListedRecord, unexpectedForm } from './backfill-client.ts';
import {
  listedCreditNote,
  listedDispute,
  listedIntent,
  listedPaid,
  listedRefund,
  listedSession,
  type PaidCharge,
  type RefundedCharge,
} from './backfill-payload.ts';
import { isCapturedByHand } from './interpret-payment-intent.ts';

/** An event that was made of a record, as Stripe would have sent it. */
interface MadeEvent {
  id: string;
  object: 'event';
  api_version: string;
  /** Unix seconds, from the record. */
  created: number;
  livemode: boolean;
  type: string;
  data: { object: object };
}

/** An event to be made of a record. */
interface EventDraft {
  type: string;
  /** Unix seconds, from the record. */
  created: number;
  livemode: boolean;
  object: object;
  /** The last second in which it may have happened, if that is known; null: any. */
  latest: number | null;
  apiVersion?: string;
}

/** A list of records, by time of creation, and which events are made of each of them. */
export interface RecordList {
  /** In errors. */
  what: string;
  path: string;
  /** `expand[]` makes Stripe answer an object in place of its id, at most four levels deep. */
  query: [name: string, value: string][];
  /** @throws z.ZodError for a record that is not as requested */
  draftsOf(record: ListedRecord): EventDraft[];
}

const DAY_SECONDS = 86_400;

/** The last version in which the capture of a part refunded the rest. */
const BEFORE_BASIL = '2025-02-24.acacia';

/** Of a dispute that is over. `charge.dispute.created` is read the same way. */
const DECIDED = new Set<unknown>(['won', 'lost', 'prevented', 'charge_refunded', 'warning_closed']);

/** Of the same second, what names a payment comes before the payment, and this before what takes it back. */
export const RECORD_LISTS: readonly RecordList[] = [
  {
    what: 'Checkout sessions',
    path: '/v1/checkout/sessions',
    query: [
      ['status', 'complete'],
      ['expand[]', 'data.payment_intent.latest_charge.balance_transaction'],
    ],
    draftsOf: sessionDrafts,
  },
  {
    what: 'invoice payments',
    path: '/v1/invoice_payments',
    query: [['status', 'paid']],
    // a payment intent that counts must not lack the name of its invoice because that is some seconds older
    draftsOf: (record) => paidDrafts('invoice_payment.paid', record, DAY_SECONDS),
  },
  {
    what: 'invoices',
    path: '/v1/invoices',
    query: [
      ['status', 'paid'],
      ['expand[]', 'data.discounts'],
    ],
    draftsOf: (record) => paidDrafts('invoice.paid', record),
  },
  {
    what: 'payment intents',
    path: '/v1/payment_intents',
    query: [['expand[]', 'data.latest_charge.balance_transaction']],
    draftsOf: intentDrafts,
  },
  {
    what: 'refunds',
    path: '/v1/refunds',
    query: [
      ['expand[]', 'data.charge.balance_transaction'],
      ['expand[]', 'data.payment_intent'],
      ['expand[]', 'data.failure_balance_transaction'],
    ],
    draftsOf: refundDrafts,
  },
  { what: 'disputes', path: '/v1/disputes', query: [], draftsOf: disputeDrafts },
  { what: 'credit notes', path: '/v1/credit_notes', query: [], draftsOf: creditNoteDrafts },
];

/**
 * The events of records, without what is known to have happened before `since`.
 *
 * @param since Unix seconds
 * @throws ServiceError `VALIDATION_ERROR` for a record that is not as requested
 */
export function eventsOf({ what, draftsOf }: RecordList, records: readonly ListedRecord[], since: number): MadeEvent[] {
  return records.flatMap((record) => {
    try {
      return draftsOf(record)
        .filter(({ latest }) => latest === null || latest >= since)
        .map(madeEvent);
    } catch (error) {
      throw error instanceof z.ZodError ? unexpectedForm(what, error, [record.id]) : error;
    }
  });
}

function madeEvent({ type, created, livemode, object, apiVersion = API_VERSION }: EventDraft): MadeEvent {
  const id = backfillKey(type, object);
  return { id, object: 'event', api_version: apiVersion, created, livemode, type, data: { object } };
}

/**
 * A session says `paid` also if its payment was captured by hand, perhaps less than its total. As in its event, such a session
 * is not paid yet: the payment intent tells what was captured.
 */
function sessionDrafts(record: ListedRecord): EventDraft[] {
  const { livemode, expires_at: expiresAt, payment_intent: paidBy } = listedSession.parse(record);
  const { created } = record;
  const shared = { type: 'checkout.session.completed', livemode };
  // it was completed at some time between
  if (!paidBy) return [{ ...shared, created, object: record, latest: expiresAt ?? null }];
  const paidAt = paidAtOf(paidBy.latest_charge) ?? created;
  const object = { ...record, payment_intent: paidBy.id };
  if (!isCapturedByHand(paidBy)) return [{ ...shared, created: paidAt, object, latest: paidAt }];
  const completedAt = paidBy.latest_charge?.created ?? created;
  const unpaid = record.payment_status === 'paid' ? { payment_status: 'unpaid' } : {};
  return [{ ...shared, created: completedAt, object: { ...object, ...unpaid }, latest: paidAt }];
}

function paidDrafts(type: string, record: ListedRecord, toleranceSeconds = 0): EventDraft[] {
  const { livemode, status_transitions: transitions } = listedPaid.parse(record);
  const paidAt = transitions?.paid_at ?? null;
  const latest = paidAt === null ? null : paidAt + toleranceSeconds;
  return [{ type, created: paidAt ?? record.created, livemode, object: record, latest }];
}

/** The list cannot be filtered by status. */
function intentDrafts(record: ListedRecord): EventDraft[] {
  if (record.status !== 'succeeded') return [];
  const { livemode, latest_charge: latest } = listedIntent.parse(record);
  const created = paidAtOf(latest) ?? record.created;
  const object = { ...record, latest_charge: latest?.id ?? null };
  return [{ type: 'payment_intent.succeeded', created, livemode, object, latest: created }];
}

/** A refund does not say whether it is of test mode: its payment does. One without a payment returned a customer balance. */
function refundDrafts(record: ListedRecord): EventDraft[] {
  const { charge: refunded, payment_intent: paidBy, failure_balance_transaction: failure } = listedRefund.parse(record);
  const livemode = refunded?.livemode ?? paidBy?.livemode;
  if (livemode === undefined) return [];
  const hasFailed = record.status === 'failed' || record.status === 'canceled';
  const created = (hasFailed ? failure?.created : null) ?? record.created;
  const object = {
    ...record,
    charge: refunded?.id ?? null,
    payment_intent: paidBy?.id ?? null,
    ...(failure ? { failure_balance_transaction: failure.id } : {}),
  };
  const type = record.status === 'failed' ? 'refund.failed' : 'refund.updated';
  const isTimeKnown = !hasFailed || Boolean(failure);
  const draft: EventDraft = { type, created, livemode, object, latest: isTimeKnown ? created : null };
  return refunded && isReleaseRefunded(refunded) ? [draft, releaseDraft(refunded, record.created)] : [draft];
}

/**
 * True for a charge that was captured in part, whose rest Stripe reports as a refund: its balance transaction is of all that
 * was authorized. Otherwise it is of what was captured.
 * https://support.stripe.com/questions/changes-to-balance-transaction-behavior-for-partial-capture-and-payment-cancellation-flows
 */
function isReleaseRefunded({
  amount,
  amount_captured: captured,
  currency,
  balance_transaction: moved,
}: RefundedCharge) {
  if (!captured || captured >= amount) return false;
  return moved?.currency === currency && moved.amount === amount;
}

/** Which of the refunds by id is of the rest is only known with the charge, in the version that refunds the rest. */
function releaseDraft(refunded: RefundedCharge, created: number): EventDraft {
  const object = { ...refunded, balance_transaction: refunded.balance_transaction?.id ?? null };
  const { livemode } = refunded;
  return { type: 'charge.refunded', created, livemode, object, latest: created, apiVersion: BEFORE_BASIL };
}

/** When money moved last; of a lost dispute, no time is known. */
function disputeDrafts(record: ListedRecord): EventDraft[] {
  const { livemode, balance_transactions: moves } = listedDispute.parse(record);
  const created = Math.max(record.created, ...(moves ?? []).map((move) => move.created ?? 0));
  const type = DECIDED.has(record.status) ? 'charge.dispute.closed' : 'charge.dispute.created';
  return [{ type, created, livemode, object: record, latest: null }];
}

function creditNoteDrafts(record: ListedRecord): EventDraft[] {
  const { livemode, voided_at: voidedAt } = listedCreditNote.parse(record);
  const isVoid = record.status === 'void';
  const created = (isVoid ? voidedAt : null) ?? record.created;
  const type = isVoid ? 'credit_note.voided' : 'credit_note.created';
  return [{ type, created, livemode, object: record, latest: created }];
}

/** When the money arrived: with a delayed payment method or a capture by hand, that is after the charge was created. */
function paidAtOf(paidBy: PaidCharge | null | undefined): number | null {
  return paidBy?.balance_transaction?.created ?? paidBy?.created ?? null;
}
