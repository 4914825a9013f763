import { claimKeys, claimsOfCustomer } from '../../app/claims.ts';
import type { EarlierName, PaidInvoice } from '../../core/facts.ts';
import type { AccountId, PaymentId } from '../../core/ids.ts';
import type { ClaimKey, Transaction } from '../../storage/database.ts';
import { manyRows } from '../../storage/many-rows.ts';
import { asPayment, PAYMENT, type Payment, type PaymentRow } from './payments.ts';

/** A payment, with those of the requested references that it already has for the requesting processor. */
export interface NamedPayment extends Payment {
  knownReferences: string[];
}

/** References that name one payment of one processor. */
export interface PaymentNames {
  processor: string;
  references: readonly string[];
  /** The reference that is the invoice id, if known. */
  invoiceId: string | null;
  paidInvoice?: PaidInvoice | undefined;
}

/** Whose processor only the API or an import has named: it may be the wrong one. */
const ONLY_BY_API = "q.delivery_id IS NULL AND q.state IN ('parked', 'counted')";

/**
 * Which references match. An invoice id matches across all processors and the API, and so does any reference of a payment
 * that no processor has reported; any other matches only its own processor or the API.
 */
const OF_PROCESSOR = {
  reference: `AND (r.processor = @processor OR r.processor = 'custom' OR r.value = @invoiceId OR ${ONLY_BY_API})`,
  sale: `AND (q.processor = @processor OR q.processor = 'custom' OR s.invoice_id = @invoiceId OR ${ONLY_BY_API})`,
};

/** For a report that may name the wrong processor, or none. */
const OF_ANY_PROCESSOR = { reference: '', sale: '' };

/**
 * One row per matching reference of a payment. A match is a stored reference, or the invoice id of the payment's sale,
 * which is not stored separately. `known` is a reference that the requesting processor need not add.
 * `findNamedPayments` sorts and groups in code, because there is rarely more than one row.
 */
const namedBy = (isOneOf: string, isMeant: typeof OF_PROCESSOR) => `
  SELECT ${PAYMENT}, CASE WHEN r.processor = @processor THEN r.value END AS "known"
  FROM payment_references r
  JOIN payments q ON q.id = r.payment_id
  JOIN payments p ON p.id = COALESCE(q.joined_to, q.id)
  WHERE r.account_id = @accountId AND r.value ${isOneOf} ${isMeant.reference}
  UNION ALL
  SELECT ${PAYMENT}, CASE WHEN q.processor = @processor THEN s.invoice_id END AS "known"
  FROM sales s
  JOIN payments q ON q.id = s.payment_id
  JOIN payments p ON p.id = COALESCE(q.joined_to, q.id)
  WHERE s.account_id = @accountId AND s.invoice_id ${isOneOf} ${isMeant.sale}`;

/** `byOne` is separate because SQLite builds and sorts the list at each execution. */
const namedIn = (isMeant: typeof OF_PROCESSOR) => ({
  byOne: namedBy('= @reference0', isMeant),
  bySome: namedBy('IN (@reference0, @reference1, @reference2, @reference3)', isMeant),
});

const NAMED = namedIn(OF_PROCESSOR);
const NAMED_AT_ANY = namedIn(OF_ANY_PROCESSOR);

/** The size of the list in `bySome`. A shorter list is padded with its first value. */
const REFERENCES_PER_QUERY = 4;

/** Claims the payments that these references name, earliest first. There may be several until they are merged. */
export function claimNamedPayments(
  tx: Transaction,
  accountId: AccountId,
  names: PaymentNames,
): Promise<NamedPayment[]> {
  return claimPayments(tx, accountId, () => findNamedPayments(tx, accountId, names));
}

/** Like `claimNamedPayments`, for the API, whose invoice id may name a payment of any processor. */
export function claimInvoicedPayments(
  tx: Transaction,
  accountId: AccountId,
  invoiceId: string,
): Promise<NamedPayment[]> {
  return claimNamedPayments(tx, accountId, { processor: 'custom', references: [invoiceId], invoiceId });
}

/**
 * Like `claimNamedPayments`, for an import, which may not say which processor took the payment, or the wrong one: if that
 * processor has reported none, each reference may name a payment of any.
 */
export function claimImportedPayments(tx: Transaction, accountId: AccountId, names: PaymentNames): Promise<Payment[]> {
  return claimPayments(tx, accountId, async () => {
    const found = await findPaymentsOfAnyProcessor(tx, accountId, names);
    const isOfItsOwn =
      names.processor !== 'custom' && found.some(({ knownReferences: [known] }) => known !== undefined);
    return isOfItsOwn ? findNamedPayments(tx, accountId, names) : found;
  });
}

/** The payments of any processor that these references name, earliest first. Does not claim them. */
export function findPaymentsOfAnyProcessor(
  tx: Transaction,
  accountId: AccountId,
  names: PaymentNames,
): Promise<NamedPayment[]> {
  return findPayments(tx, accountId, names, NAMED_AT_ANY);
}

/**
 * Claims the payments that `find` returns, then calls it again to see what other units changed in the meantime. No
 * other unit changes the payments until this unit ends. Also claims the ids of the customers that their earlier reports
 * name: the caller looks for them, or learns whose they are. `attribute` claims an address, if it is needed.
 *
 * @param claimedIds payments that the unit has already claimed
 */
export async function claimPayments<Found extends Payment>(
  tx: Transaction,
  accountId: AccountId,
  find: () => Promise<Found[]>,
  claimedIds: readonly PaymentId[] = [],
): Promise<Found[]> {
  let found = await find();
  const claimed = new Set(claimedIds);
  while (found.some(({ id }) => !claimed.has(id))) {
    for (const { id } of found) claimed.add(id);
    await tx.claim(() => [...[...claimed].map(claimKeys.payment), ...claimsOfReports(accountId, found)]);
    found = await find();
  }
  // nobody else can change them any more
  await tx.claim(() => claimsOfReports(accountId, found));
  return found;
}

/** The keys of the ids that earlier reports of these payments name. */
function claimsOfReports(accountId: AccountId, payments: readonly Payment[]): ClaimKey[] {
  return payments.flatMap(({ processor, parked, awaited }) =>
    [parked?.fact.customer, awaited?.announced?.customer, awaited?.customer].flatMap((customer) =>
      customer ? claimsOfCustomer(accountId, processor, { ...customer, email: null }) : [],
    ),
  );
}

const insertReferences = manyRows({
  before: 'INSERT INTO payment_references (account_id, processor, value, payment_id) VALUES',
  names: ['accountId', 'processor', 'value', 'paymentId'],
  after: 'ON CONFLICT DO NOTHING',
});

/**
 * Adds references and returns how many were new. A reference that already names a payment keeps naming it. The invoice
 * id of a payment's sale need not be added, because lookups include it.
 */
export function addReferences(
  tx: Transaction,
  accountId: AccountId,
  { processor, references }: Pick<PaymentNames, 'processor' | 'references'>,
  paymentId: PaymentId,
): Promise<number> {
  return insertReferences(
    tx,
    references.map((value) => ({ accountId, processor, value, paymentId })),
  );
}

/** The payments that these references name, earliest first. Does not claim them. */
export async function findNamedPayments(
  tx: Transaction,
  accountId: AccountId,
  names: PaymentNames,
): Promise<NamedPayment[]> {
  const found = await findPayments(tx, accountId, names, NAMED);
  return found.filter((payment) => !isOnlyReferenced(payment, names));
}

/**
 * True for what another processor has reported under the invoice id without saying that it is one, such as a refund: the
 * payment would not be found by such a report that arrives later, either.
 */
function isOnlyReferenced(payment: NamedPayment, { processor, invoiceId }: PaymentNames): boolean {
  const { state, awaited, knownReferences } = payment;
  if (state !== 'awaited' || knownReferences.length > 0) return false;
  if (processor === 'custom' || payment.processor === 'custom') return false;
  return awaited?.announced?.invoiceId !== invoiceId;
}

async function findPayments(
  tx: Transaction,
  accountId: AccountId,
  { processor, references, invoiceId }: PaymentNames,
  { byOne, bySome }: typeof NAMED,
): Promise<NamedPayment[]> {
  const sql = references.length === 1 ? byOne : bySome;
  const found = new Map<PaymentId, NamedPayment>();
  for (let start = 0; start < references.length; start += REFERENCES_PER_QUERY) {
    const reference = (offset: number) => references[start + offset] ?? references[start] ?? null;
    const rows = await tx.all<PaymentRow & { known: string | null }>(sql, {
      accountId,
      processor,
      invoiceId,
      reference0: reference(0),
      reference1: reference(1),
      reference2: reference(2),
      reference3: reference(3),
    });
    for (const row of rows) {
      const payment = found.get(row.id) ?? { ...asPayment(row), knownReferences: [] };
      if (row.known !== null) payment.knownReferences.push(row.known);
      found.set(row.id, payment);
    }
  }
  return [...found.values()].sort(byId);
}

/** True when an earlier version stored the payment under this name. */
export async function isNamedEarlier(
  tx: Transaction,
  { accountId, processor }: { accountId: AccountId; processor: string },
  name: EarlierName,
): Promise<boolean> {
  const row = await tx.get(
    `SELECT 1 FROM payment_references r JOIN payments p ON p.id = r.payment_id
     WHERE r.account_id = @accountId AND r.value = @reference AND r.processor = @processor AND p.occurred_at = @paidAt
     UNION ALL
     SELECT 1 FROM sales
     WHERE account_id = @accountId AND invoice_id = @reference AND payment_processor = @processor AND occurred_at = @paidAt`,
    { accountId, processor, ...name },
  );
  return row !== undefined;
}

/** Earliest first. */
function byId(a: Payment, b: Payment): number {
  return a.id < b.id ? -1 : 1;
}
