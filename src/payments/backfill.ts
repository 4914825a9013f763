import { claimKeys } from '../app/claims.ts';
import { inOrder } from '../app/in-order.ts';
import type { AccountId, CustomerId, PaymentId, SaleId } from '../core/ids.ts';
import { isExpired } from '../core/payment.ts';
import type { ClaimKey, Transaction } from '../storage/database.ts';
import { attribute } from './attribute.ts';
import { ATTRIBUTED_PER_UNIT, leaveToServer } from './due.ts';
import { requireBuyer } from './identity/customers.ts';
import { indexAgain } from './park.ts';
import {
  findKnownOfNew,
  findParkedByEmail,
  findParkedByIdentities,
  type KnownOfNew,
  type ParkedFor,
} from './parked-for.ts';
import { fillProfile } from './queries/customers.ts';
import { assignIdentities } from './queries/identities.ts';
import { deleteDue } from './queries/parked-hints.ts';
import { findSurvivor, UnreadableReport } from './queries/payments.ts';
import { claimPayments } from './queries/references.ts';
import type { NewSale } from './queries/sales.ts';
import { learnBuyer, type NewIdentifiers, sellableParked } from './record.ts';
import { type EarnedPayment, recordParkedPayments } from './record-parked.ts';
import type { Scope } from './scope.ts';

/** The result of a backfill. */
export interface Backfill {
  saleIds: SaleId[];
  /** True when customer profiles may have changed, so that the caller must read them again. */
  changedProfiles: boolean;
}

/**
 * Attributes the parked payments that the new identifiers may match, each as if it arrived again, on current terms, and
 * those that the identifiers of these payments match. Then records them in the order in which they were made: which of
 * them is a customer's first sale must not depend on their order of arrival, nor on which of them leads to which. Of more
 * than `ATTRIBUTED_PER_UNIT`, the server attributes the later ones (`attribute-due.ts`).
 *
 * @param knownOfNew the result of `findKnownOfNew` for a new customer, if it was already looked up
 */
export async function backfillParked(
  tx: Transaction,
  scope: Scope,
  newIdentifiers: NewIdentifiers,
  knownOfNew: KnownOfNew | null = null,
): Promise<Backfill> {
  const earned: Earned = new Map();
  const filledProfile = await findEarned(tx, scope, { learned: [newIdentifiers], knownOfNew }, earned);
  const sales = await recordInOrder(tx, scope, earned);
  return { saleIds: sales.map(({ id }) => id), changedProfiles: filledProfile || sales.length > 0 };
}

/**
 * Attributes a parked payment about which more is known now, and the payments that its identifiers match, like
 * `backfillParked`. Returns null if the payment still has no owner.
 */
export async function attributeParked(tx: Transaction, scope: Scope, paymentId: PaymentId): Promise<SaleId | null> {
  const earned: Earned = new Map();
  const attributed = await attributeStored(tx, scope, paymentId, { earned });
  if (attributed === null) return null;
  await findEarned(tx, scope, { learned: [attributed.learned.newIdentifiers] }, earned);
  const sales = await recordInOrder(tx, scope, earned);
  return sales.find((sale) => sale.paymentId === attributed.stored.id)?.id ?? null;
}

/**
 * Attributes parked payments that earlier units have left (`due.ts`), like `backfillParked`. One that still has no owner
 * stays parked.
 *
 * @param attributedMax how many to attribute together with those that they lead to; the server attributes the others
 */
export async function attributeDue(
  tx: Transaction,
  scope: Scope,
  paymentIds: readonly PaymentId[],
  attributedMax: number,
): Promise<void> {
  await tx.claim(() => paymentIds.map(claimKeys.payment));
  const earned: Earned = new Map();
  const learned: NewIdentifiers[] = [];
  for (const paymentId of paymentIds) {
    // before it is tried: a unit that marks it again in the meantime waits for this one
    await deleteDue(tx, paymentId);
    const attributed = await attributeStored(tx, scope, paymentId, { earned, isDue: true });
    if (attributed !== null) learned.push(attributed.learned.newIdentifiers);
  }
  await findEarned(tx, scope, { learned, attributedMax }, earned);
  await recordInOrder(tx, scope, earned);
}

/** By the payment's id. */
type Earned = Map<PaymentId, EarnedPayment>;

interface Learned {
  learned: readonly NewIdentifiers[];
  /** See `backfillParked`. */
  knownOfNew?: KnownOfNew | null;
  /** See `attributeDue`. */
  attributedMax?: number;
}

/**
 * Adds the parked payments that the identifiers lead to, directly or through each other. Those that are too many for one
 * unit are left to the server. Returns whether a customer's profile was filled.
 */
async function findEarned(
  tx: Transaction,
  scope: Scope,
  { learned, knownOfNew = null, attributedMax = ATTRIBUTED_PER_UNIT }: Learned,
  earned: Earned,
): Promise<boolean> {
  let hasFilledProfile = false;
  const queue = [...learned];
  const [first] = queue;
  for (const known of queue) {
    if (known.newCustomer === null && known.email === null && known.identities === null) continue;
    // so that this unit sees what others have parked under them, and the others see whose they are
    await tx.claim(() => claimsOfNew(scope.accountId, known));
    const ofNew = known === first ? knownOfNew : null;
    const room = Math.max(0, attributedMax - earned.size);
    const { payments, filledProfile } = await findParkedFor(tx, scope, known, { knownOfNew: ofNew, earned, room });
    hasFilledProfile ||= filledProfile;
    const now = payments.slice(0, room);
    if (now.length === 0) continue;
    await tx.claim(() => now.map(({ id }) => claimKeys.payment(id)));
    for (const payment of now) {
      const attributed = await attributeStored(tx, scope, payment.id, { earned }).catch((error: unknown) => {
        if (!(error instanceof UnreadableReport)) throw error;
        // nothing was written for it; the server tries it alone, and logs why it stays parked
        leaveToServer(tx, scope.accountId, [payment]);
        return null;
      });
      if (attributed !== null) queue.push(attributed.learned.newIdentifiers);
    }
  }
  return hasFilledProfile;
}

function recordInOrder(tx: Transaction, scope: Scope, earned: Earned): Promise<NewSale[]> {
  const timeOf = ({ stored, purchase }: EarnedPayment) => ({ id: stored.id, occurredAt: purchase.occurredAt });
  const inOrderOfTime = [...earned.values()].sort((one, other) => byTime(timeOf(one), timeOf(other)));
  return recordParkedPayments(tx, scope, inOrderOfTime);
}

function claimsOfNew(accountId: AccountId, { newCustomer, email, identities }: NewIdentifiers): ClaimKey[] {
  return [
    ...(newCustomer === null ? [] : [claimKeys.external(accountId, newCustomer.externalId)]),
    ...(email === null ? [] : [claimKeys.email(accountId, email)]),
    ...(identities?.keys.map(({ value }) => claimKeys.identity(accountId, identities.processor, value)) ?? []),
  ];
}

/**
 * Attributes a payment, learns who paid it, and adds it to `earned`. Null when it was added before, is no longer parked,
 * has expired, or still matches nobody.
 *
 * @param isDue true if its person was known before it expired
 */
async function attributeStored(
  tx: Transaction,
  scope: Scope,
  paymentId: PaymentId,
  { earned, isDue = false }: { earned: Earned; isDue?: boolean },
): Promise<EarnedPayment | null> {
  // while this unit waited for its claim, another unit may have sold the payment or merged it into another parked one
  const find = () => findSurvivor(tx, scope.accountId, paymentId);
  const [stored] = earned.has(paymentId) ? [] : await claimPayments(tx, scope.accountId, find, [paymentId]);
  if (!stored?.parked || earned.has(stored.id) || (isExpired(stored, scope.now) && !isDue)) return null;
  const { fact } = stored.parked;
  const { match, identities, reportedEmail } = await attribute(tx, { ...scope, processor: stored.processor }, fact);
  if (match === null) {
    await indexAgain(tx, scope, stored.id, { reportedEmail, identities });
    return null;
  }
  const buyer = await requireBuyer(tx, scope, match.owner, match.payer);
  const payment = { ...sellableParked(stored, fact, identities), stored, buyer, match };
  const attributed = { ...payment, learned: await learnBuyer(tx, scope, payment) };
  earned.set(stored.id, attributed);
  return attributed;
}

/**
 * The parked payments to try again, the earliest first, without those that are earned. If they are more than this unit
 * attributes, all are left to the server, too.
 *
 * @param room how many more payments the unit attributes
 */
async function findParkedFor(
  tx: Transaction,
  scope: Scope,
  { newCustomer, email, identities }: NewIdentifiers,
  { knownOfNew, earned, room }: { knownOfNew: KnownOfNew | null; earned: Earned; room: number },
): Promise<{ payments: ParkedFor[]; filledProfile: boolean }> {
  const { accountId, now } = scope;
  const matching = { accountId, now };
  const address = email?.toLowerCase() ?? null;
  const person = newCustomer && { customerId: newCustomer.id, externalId: newCustomer.externalId, email: address };
  const ofKnown = person === null ? address : null;
  const [ofNew, byIdentities, byEmail] = await inOrder(
    // must run before the identities with this external id are assigned, because it no longer finds them afterwards
    person === null ? null : (knownOfNew ?? findKnownOfNew(tx, matching, person)),
    identities === null ? [] : findParkedByIdentities(tx, matching, identities),
    ofKnown === null ? [] : findParkedByEmail(tx, matching, ofKnown),
  );
  const payments = new Map<PaymentId, ParkedFor>();
  const addAll = (found: readonly ParkedFor[]) => {
    for (const payment of found) if (!earned.has(payment.id)) payments.set(payment.id, payment);
  };
  for (const found of [ofNew?.payments ?? [], byIdentities, byEmail]) addAll(found);
  const isFilled = newCustomer !== null && ofNew?.isIdentified;
  const filledEmail = isFilled ? await fillFromIdentities(tx, accountId, newCustomer) : undefined;
  const filledAddress = filledEmail?.toLowerCase() ?? null;
  if (filledAddress !== null && filledAddress !== address) {
    // nobody has named it in this unit; see `findEarned`
    await tx.claim(() => [claimKeys.email(accountId, filledAddress)]);
    addAll(await findParkedByEmail(tx, matching, filledAddress));
  }
  if (payments.size > room) leaveToServer(tx, accountId, [...payments.values()]);
  return { payments: [...payments.values()].sort(byTime), filledProfile: filledEmail !== undefined };
}

function byTime(one: ParkedFor, other: ParkedFor): number {
  return one.occurredAt - other.occurredAt || (one.id < other.id ? -1 : 1);
}

/**
 * Fills the blanks of a customer's profile from what processors have reported. Returns the resulting e-mail address,
 * which may be null; undefined when nothing was filled in.
 */
async function fillFromIdentities(
  tx: Transaction,
  accountId: AccountId,
  customer: { id: CustomerId; externalId: string },
): Promise<string | null | undefined> {
  const { email, name } = await assignIdentities(tx, accountId, customer);
  if (email === null && name === null) return undefined;
  return (await fillProfile(tx, customer.id, { email, name, avatar: null }))?.email ?? null;
}
