import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import { type Page, pageOf, withNarrowing } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { TraceStep } from '../core/attribution.ts';
import type { CustomerHints } from '../core/facts.ts';
import { identityKeysOf } from '../core/identity.ts';
import type { AccountId, SaleId } from '../core/ids.ts';
import { notFound, ServiceError } from '../errors.ts';
import type { ClaimKey, Transaction } from '../storage/database.ts';
import type { PageBounds } from '../storage/list-filters.ts';
import { payerOf } from './attribute.ts';
import { eraseWithPayments } from './erasure/erase.ts';
import { ownerOfPayer } from './identity/click-owner.ts';
import { requireBuyer } from './identity/customers.ts';
import { requireClick } from './identity/require-click.ts';
import { findProcessorIdentities } from './queries/identities.ts';
import { findParked, findParkedPayment } from './queries/list-parked.ts';
import { findOwnerByExternalId, findOwnerByPartner, type Owner } from './queries/owners.ts';
import { findPayment } from './queries/payments.ts';
import { claimPayments } from './queries/references.ts';
import { sellableParked } from './record.ts';
import { asParked } from './resources/parked-resource.ts';
import type { AttributeInput, ParkedListQuery, ParkedResource } from './resources/parked-schemas.ts';
import { sellPayment } from './sell.ts';

/** One page of parked payments, newest first, each with everything that was tried. Filters: `processor from to`. */
export function listParkedPayments(
  service: Service,
  accountId: AccountId,
  { processor, ...page }: ParkedListQuery,
): Promise<Page<ParkedResource>> {
  const find = (tx: Transaction) => (bounds: PageBounds) =>
    findParked(tx, accountId, withNarrowing({}, bounds), bounds);
  return service.database.report((tx) => pageOf({ ...page, values: { processor } }, find(tx), asParked));
}

/** @throws ServiceError `NOT_FOUND` */
export async function getParkedPayment(service: Service, accountId: AccountId, id: string): Promise<ParkedResource> {
  const parked = await service.database.read((tx) => findParkedPayment(tx, accountId, id));
  if (!parked) throw notFound('parked payment', id);
  return asParked(parked);
}

/**
 * Attributes a parked payment to a customer, a click or a partner chosen by a person, even after it has expired.
 *
 * @returns the sale's id
 * @throws ServiceError `NOT_FOUND` for the payment, customer or partner; `INVALID_CLICK_ID`; `INVALID_STATE` when the
 * payment is not parked
 */
export async function attributeByHand(
  service: Service,
  accountId: AccountId,
  id: string,
  input: AttributeInput,
): Promise<{ saleId: SaleId }> {
  const scope = { accountId, now: service.clock() };
  return service.database.write(async (tx) => {
    await tx.claim(() => [claimKeys.payment(id), ...claimsOfInput(accountId, input)]);
    const find = async () => [await findPayment(tx, accountId, id)].filter((payment) => payment !== undefined);
    const [stored] = await claimPayments(tx, accountId, find);
    if (!stored) throw notFound('parked payment', id);
    if (stored.parked === null) {
      throw new ServiceError('INVALID_STATE', `Payment ${id} is ${stored.state}, not parked`);
    }
    const { fact, steps } = stored.parked;
    const identities = await findProcessorIdentities(tx, { ...stored, accountId }, identityKeysOf(fact.customer));
    const payer = await payerOf(tx, accountId, fact.customer, identities);
    const { owner, step } = await requireOwner(tx, accountId, input, payer);
    const { sale } = await sellPayment(tx, scope, {
      ...sellableParked(stored, fact, identities),
      buyer: await requireBuyer(tx, scope, owner, payer),
      match: { owner, matchedBy: 'by_hand', steps: [...steps, step] },
    });
    await eraseWithPayments(tx, scope, sale.customerId, [fact]);
    noteChange(tx, { resourceId: id, after: { saleId: sale.id, ...input } });
    return { saleId: sale.id };
  });
}

/** The owner that the input names, and its trace step. */
async function requireOwner(
  tx: Transaction,
  accountId: AccountId,
  { customerExternalId, clickId, partnerId }: AttributeInput,
  payer: CustomerHints,
): Promise<{ owner: Owner; step: TraceStep }> {
  const stepFor = (value: string, what: string): TraceStep => {
    return { step: 'by_hand', value, result: 'matched', reason: `given by hand: ${what}` };
  };
  if (clickId !== null) {
    const owner = await ownerOfPayer(tx, accountId, await requireClick(tx, accountId, clickId), payer);
    return { owner, step: stepFor(clickId, 'a click') };
  }
  if (customerExternalId !== null) {
    const owner = await findOwnerByExternalId(tx, accountId, customerExternalId);
    if (!owner) throw notFound('customer', customerExternalId);
    return { owner, step: stepFor(customerExternalId, 'a customer') };
  }
  const owner = await findOwnerByPartner(tx, accountId, partnerId ?? '');
  if (!owner) throw notFound('partner', partnerId ?? '');
  return { owner, step: stepFor(owner.partnerId, 'a partner') };
}

function claimsOfInput(accountId: AccountId, { customerExternalId, clickId }: AttributeInput): ClaimKey[] {
  return [
    ...(customerExternalId === null ? [] : [claimKeys.external(accountId, customerExternalId)]),
    ...(clickId === null ? [] : [claimKeys.click(accountId, clickId)]),
  ];
}
