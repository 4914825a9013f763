import { noteChange } from '../../app/noted-changes.ts';
import type { Service } from '../../app/service.ts';
import type { AccountId, CustomerId } from '../../core/ids.ts';
import { notFound, ServiceError } from '../../errors.ts';
import type { Transaction } from '../../storage/database.ts';
import { backfillParked } from '../backfill.ts';
import { bindCustomer } from '../identity/customers.ts';
import { learnIdentity, type ProcessorIds } from '../identity/identities.ts';
import { fillReportedProfile } from '../identity/reported-profile.ts';
import { findCustomer } from '../queries/customers.ts';
import { findProcessorIdentities } from '../queries/identities.ts';
import { findOwnerByExternalId, findOwnerByPartner } from '../queries/owners.ts';
import type { Scope } from '../scope.ts';
import {
  type AtProcessor,
  claimsOfImported,
  hintsOfImported,
  type ImportedPerson,
  lookAheadToBuyer,
  moveToOwner,
  profileOfImported,
} from './imported-person.ts';

/** A customer whom a partner referred through another service. */
export interface ImportedCustomer extends ImportedPerson {
  partnerId: string;
  /** Attributes the next renewal; null when unknown. */
  atProcessor: AtProcessor | null;
}

/**
 * Binds a customer to a partner without a click or a lead, and attributes payments that were parked for the customer. A
 * known customer keeps its profile and learns only its id at the processor. One whose partner was deleted gets this one, and
 * payments that waited because that partner's program could not earn them are tried again.
 *
 * @throws ServiceError `NOT_FOUND` for the partner; `CONFLICT` when the customer belongs to another partner, or the
 * processor's id to another customer
 */
export function importCustomer(
  service: Service,
  accountId: AccountId,
  imported: ImportedCustomer,
): Promise<'created' | 'changed' | 'unchanged'> {
  const { externalId, partnerId, atProcessor } = imported;
  const scope = { accountId, now: service.clock() };
  return service.database.write(async (tx) => {
    await tx.claim(() => claimsOfImported(accountId, imported, atProcessor));
    tx.lookAhead((ahead) =>
      Promise.all([
        lookAheadToBuyer(ahead, accountId, partnerId, imported),
        atProcessor === null ? null : findIdentities(ahead, scope, atProcessor),
      ]),
    );
    const owner = await findOwnerByPartner(tx, accountId, partnerId);
    if (owner === undefined) throw notFound('partner', partnerId);
    const stored = await findCustomer(tx, accountId, externalId);
    const isMoved = stored !== undefined && (await moveToOwner(tx, stored, owner));
    if (stored !== undefined && stored.partnerId !== owner.partnerId && !isMoved) {
      const known = await findOwnerByExternalId(tx, accountId, externalId);
      throw new ServiceError('CONFLICT', `${externalId} is a customer of another partner (${known?.partnerEmail})`);
    }
    const profile = await profileOfImported(tx, accountId, imported);
    const { customer, isNew } = await bindCustomer(tx, scope, { externalId, owner, profile, update: 'fill' }, stored);
    const { identities, reportedEmail } =
      atProcessor === null
        ? NOTHING_LEARNED
        : await learnImported(tx, scope, { ...profile, externalId, atProcessor, id: customer.id, isMoved });
    const isNewHere = isNew || isMoved;
    const newCustomer = isNewHere ? { id: customer.id, externalId } : null;
    const email = (isNewHere ? customer.email : null) ?? reportedEmail;
    await backfillParked(tx, scope, { newCustomer, email, identities });
    if (isNewHere) noteChange(tx, { resourceId: customer.id, after: { externalId, partnerId } });
    if (isNew) return 'created';
    return identities === null && !isMoved ? 'unchanged' : 'changed';
  });
}

/** @throws ServiceError `CONFLICT` when the processor's id belongs to another customer */
async function learnImported(
  tx: Transaction,
  scope: Scope,
  { id, atProcessor, isMoved, ...person }: LearnedCustomer,
): Promise<LearnedIds> {
  const { processor, customerId: processorCustomerId } = atProcessor;
  const owned = { ...scope, processor };
  const stored = await findIdentities(tx, scope, atProcessor);
  if (stored.some(({ customerId }) => customerId !== null && customerId !== id)) {
    throw new ServiceError('CONFLICT', `${processorCustomerId} of ${processor} belongs to another customer`);
  }
  const hints = hintsOfImported(person, processorCustomerId);
  const identification = { hints, customerId: id, stored, matchedBy: null, isMoved };
  const { email: reportedEmail } = await fillReportedProfile(tx, owned, identification);
  return { identities: await learnIdentity(tx, owned, identification), reportedEmail };
}

function findIdentities(tx: Transaction, scope: Scope, { processor, customerId: value }: AtProcessor) {
  return findProcessorIdentities(tx, { ...scope, processor }, [{ kind: 'customer', value }]);
}

interface LearnedIds {
  identities: ProcessorIds | null;
  /** The address that the processor reported for its id of the customer before. */
  reportedEmail: string | null;
}

const NOTHING_LEARNED: LearnedIds = { identities: null, reportedEmail: null };

interface LearnedCustomer extends ImportedPerson {
  id: CustomerId;
  atProcessor: AtProcessor;
  isMoved: boolean;
}
