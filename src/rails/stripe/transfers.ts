import { z } from 'zod';
import type { FoundTransfer, Transfer, TransferAccess, TransferResult } from '../contract/transfer.ts';
import { stripeAmountOf } from './amount.ts';
import { type Answer, ask, isAboutTheKey, type Refusal } from './request.ts';
import { resultOf, type TransferOrder, transferSchema } from './transfer-result.ts';

const UNEXPECTED = "Stripe's answer has an unexpected form";

/** As many transfers as a reason can name; one is expected. */
const LIST_LIMIT = 10;

const listSchema = z.object({
  object: z.literal('list'),
  has_more: z.boolean(),
  data: z.array(transferSchema).max(LIST_LIMIT),
});

/** The transfer group, and the idempotency key, of a payout. */
const groupOf = ({ payoutId }: Transfer) => `payout_${payoutId}`;

const unknown = (reason: string, retryAfterSeconds?: number) => ({
  outcome: 'unknown' as const,
  reason,
  ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
});

/** As `TransferClient.send`. */
export async function send(access: TransferAccess, transfer: Transfer, isRepeated: boolean): Promise<TransferResult> {
  const converted = stripeAmountOf(transfer.amount, transfer.currency);
  if ('problem' in converted) {
    return isRepeated ? unknown(converted.problem) : { outcome: 'refused', reason: converted.problem };
  }
  const order = orderOf(transfer, converted.amount);
  const create = () => createTransfer(access, transfer, order);
  let answer = await create();
  // Stripe stores the answer of whatever it has executed, so that a refusal by the execution comes again as a replayed
  // one. A refusal that does not was given before Stripe looked for the key, and says nothing of an earlier attempt.
  if (isRepeated && answer.kind === 'refusal' && !answer.isReplayed && isOfExecutions(answer.refusal)) {
    answer = await create();
  }
  if (answer.kind === 'unknown') return unknown(answer.reason, answer.retryAfterSeconds);
  if (answer.kind === 'refusal') {
    return isDefinite(answer.refusal, isRepeated, answer.isReplayed)
      ? { outcome: 'refused', reason: answer.refusal.reason }
      : unknownOf(answer);
  }
  const made = transferSchema.safeParse(answer.body);
  if (!made.success) return unknown(UNEXPECTED);
  return isRepeated || answer.isReplayed ? readAgain(access, made.data.id, order) : resultOf(made.data, order);
}

/** As `TransferClient.find`. */
export async function find(access: TransferAccess, transfer: Transfer): Promise<FoundTransfer> {
  const group = groupOf(transfer);
  const answer = await ask(access, (stripe) => stripe.transfers.list({ transfer_group: group, limit: LIST_LIMIT }));
  if (answer.kind !== 'success') return unknownOf(answer);
  const list = listSchema.safeParse(answer.body);
  // a list of other groups was not asked for
  if (!list.success || list.data.data.some(({ transfer_group }) => transfer_group !== group))
    return unknown(UNEXPECTED);
  const { data, has_more } = list.data;
  const [made] = data;
  if (has_more || data.length > 1) {
    const ids = data.map(({ id }) => id).join(', ');
    const reason = `Stripe made several transfers for this payout: ${ids}${has_more ? ' and more' : ''}`;
    return { outcome: 'contradicted', reason, transferId: made?.id ?? null };
  }
  if (made === undefined) return { outcome: 'none' };
  const converted = stripeAmountOf(transfer.amount, transfer.currency);
  if ('amount' in converted) return resultOf(made, orderOf(transfer, converted.amount));
  return {
    outcome: 'contradicted',
    reason: `Stripe made the transfer ${made.id}, but ${converted.problem}`,
    transferId: made.id,
  };
}

function orderOf(transfer: Transfer, amount: number): TransferOrder {
  const { currency, destination } = transfer;
  return { amount, currency, destination, transfer_group: groupOf(transfer) };
}

function createTransfer(access: TransferAccess, transfer: Transfer, order: TransferOrder): Promise<Answer> {
  const metadata = { refbridgePayoutId: transfer.payoutId };
  return ask(access, (stripe) =>
    stripe.transfers.create({ ...order, metadata }, { idempotencyKey: order.transfer_group }),
  );
}

/** A replayed answer says what was made, and not what became of it. */
async function readAgain(access: TransferAccess, id: string, order: TransferOrder): Promise<TransferResult> {
  const answer = await ask(access, (stripe) => stripe.transfers.retrieve(id));
  if (answer.kind !== 'success') return unknownOf(answer);
  const made = transferSchema.safeParse(answer.body);
  return made.success && made.data.id === id ? resultOf(made.data, order) : unknown(UNEXPECTED);
}

function unknownOf(answer: Exclude<Answer, { kind: 'success' }>) {
  if (answer.kind === 'unknown') return unknown(answer.reason, answer.retryAfterSeconds);
  const { reason } = answer.refusal;
  return isAboutTheKey(answer.refusal) ? { ...unknown(reason), hindrance: 'key' as const } : unknown(reason);
}

/** Types of errors that are about the request. An `api_error` is about Stripe. */
const ABOUT_THE_REQUEST: readonly string[] = ['invalid_request_error', 'card_error'];

/** True when the execution of an order may have given this answer. */
const isOfExecutions = (refusal: Refusal) => ABOUT_THE_REQUEST.includes(refusal.type) && !isAboutTheKey(refusal);

/**
 * Whether nothing was made, and nothing will be. Sources: https://docs.stripe.com/api/idempotent_requests,
 * https://docs.stripe.com/error-low-level
 *
 * first attempt: yes, unless the idempotency key belongs to another order, which was made or will be.
 * repeated: only if Stripe answers as it did when it executed the order. A secret key that was revoked since, or may no
 * longer make transfers, is refused before Stripe looks for an earlier execution, and so are most invalid parameters.
 */
function isDefinite({ status, type }: Refusal, isRepeated: boolean, isReplayed: boolean): boolean {
  if (!ABOUT_THE_REQUEST.includes(type)) return false;
  return !isRepeated || (isReplayed && status !== 401);
}
