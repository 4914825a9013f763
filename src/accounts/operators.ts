import { claimKeys } from '../app/claims.ts';
import { noteChange } from '../app/noted-changes.ts';
import { type Page, type PageQuery, pageOf } from '../app/page.ts';
import type { Service } from '../app/service.ts';
import type { AccountId, OperatorId } from '../core/ids.ts';
import { isoTime, isoTimeOrNull } from '../core/time.ts';
import { notFound, ServiceError } from '../errors.ts';
import { createId } from '../ids.ts';
import { applyPatch, type MergePatch } from '../schema/merge-patch.ts';
import type { Transaction } from '../storage/database.ts';
import {
  type InvitedOperator,
  type OperatorInput,
  type OperatorPatch,
  type OperatorResource,
  operatorPatch,
} from './operator-schemas.ts';
import { beginLockOut } from './queries/lock-outs.ts';
import { deleteIdentitiesOfOperator } from './queries/operator-identities.ts';
import {
  countOtherOwners,
  deleteOperator,
  findOperator,
  findOperatorByEmail,
  findOperators,
  insertOperator,
  type Operator,
  updateOperator,
} from './queries/operators.ts';
import { deleteSessionsOfOperator } from './queries/sessions.ts';
import { deleteCodesOfOperator, deleteInvitations } from './queries/sign-in-codes.ts';
import { addSignInLink, type SignInLink } from './sign-in-codes.ts';

/** An owner who changes operators; without `operatorId`, the command line. */
export interface Owner {
  accountId: AccountId;
  operatorId?: OperatorId;
}

/**
 * Adds an operator to the account, with a sign-in link.
 *
 * @throws ServiceError `CONFLICT` when the account has an operator with this e-mail address; `FORBIDDEN`
 */
export function inviteOperator(service: Service, owner: Owner, input: OperatorInput): Promise<InvitedOperator> {
  return service.database.write(async (tx) => {
    await claimAsOwner(tx, owner);
    const operator = await addOperator(tx, owner.accountId, input, service.clock());
    return invited(operator, await addSignInLink(tx, service, operator.id, 'invitation'));
  });
}

/**
 * Creates another sign-in link for this operator, which confirms an address that they have set themselves. Unused links
 * stay valid.
 *
 * @throws ServiceError `NOT_FOUND`; `FORBIDDEN`
 */
export function inviteAgain(service: Service, owner: Owner, id: string): Promise<InvitedOperator> {
  return service.database.write(async (tx) => {
    await claimAsOwner(tx, owner);
    const operator = await requireOperator(tx, owner.accountId, id);
    await updateOperator(tx, { ...operator, ownEmailAt: null });
    noteChange(tx, { resourceId: operator.id });
    return invited(operator, await addSignInLink(tx, service, operator.id, 'invitation'));
  });
}

/** One page of the account's operators, newest first. */
export function listOperators(
  service: Service,
  accountId: AccountId,
  page: PageQuery,
): Promise<Page<OperatorResource>> {
  return service.database.report((tx) => pageOf(page, (bounds) => findOperators(tx, accountId, bounds), asOperator));
}

/**
 * Changes the name or the role. A new role takes effect with the next request. When somebody is no longer an owner, all
 * unused sign-in links of the account end: they may have created one for somebody else.
 *
 * @throws ServiceError `NOT_FOUND`, `VALIDATION_ERROR`; `CONFLICT` for the last owner; `FORBIDDEN`
 */
export function changeOperator(
  service: Service,
  owner: Owner,
  id: string,
  patch: MergePatch<OperatorPatch>,
): Promise<OperatorResource> {
  const { accountId } = owner;
  return service.database.write(async (tx) => {
    await beginLockOut(tx, id);
    await claimAsOwner(tx, owner);
    const operator = await requireOperator(tx, accountId, id);
    const changed = { ...operator, ...applyPatch(operatorPatch, operator, patch) };
    if (changed.role !== 'owner') await requireOtherOwner(tx, operator);
    await updateOperator(tx, changed);
    if (operator.role === 'owner' && changed.role !== 'owner') await deleteInvitations(tx, accountId);
    noteChange(tx, { resourceId: id, before: asOperator(operator), after: asOperator(changed) });
    return asOperator(changed);
  });
}

/**
 * Removes an operator and ends their sessions; for an owner also all unused sign-in links of the account, as in
 * `changeOperator`.
 *
 * @throws ServiceError `NOT_FOUND`; `CONFLICT` for the last owner; `FORBIDDEN`
 */
export function removeOperator(service: Service, owner: Owner, id: string): Promise<void> {
  const { accountId } = owner;
  return service.database.write(async (tx) => {
    await beginLockOut(tx, id);
    await claimAsOwner(tx, owner);
    const operator = await requireOperator(tx, accountId, id);
    await requireOtherOwner(tx, operator);
    await deleteSessionsOfOperator(tx, operator.id, null);
    await deleteCodesOfOperator(tx, operator.id);
    await deleteIdentitiesOfOperator(tx, operator.id);
    await deleteOperator(tx, operator.id);
    if (operator.role === 'owner') await deleteInvitations(tx, accountId);
    noteChange(tx, { resourceId: id, before: asOperator(operator) });
  });
}

/**
 * Adds an operator inside a unit of work, after `claimOperators`.
 *
 * @throws ServiceError `CONFLICT` when the account has an operator with this e-mail address
 */
export async function addOperator(
  tx: Transaction,
  accountId: AccountId,
  input: Pick<Operator, 'name' | 'email' | 'role'>,
  now: number,
): Promise<Operator> {
  const operator: Operator = {
    ...input,
    id: createId('opr'),
    accountId,
    ownEmailAt: null,
    password: null,
    createdAt: now,
    lastSeenAt: null,
  };
  if (!(await insertOperator(tx, operator))) throw emailTaken(input.email);
  noteChange(tx, { resourceId: operator.id, after: asOperator(operator) });
  return operator;
}

/** Call it in units that change who the owners are, or that check whether an e-mail address is free. */
export function claimOperators(tx: Transaction, accountId: AccountId): Promise<void> {
  return tx.claim(() => [claimKeys.operators(accountId)]);
}

/** @throws ServiceError `FORBIDDEN` for somebody who was locked out while the request waited for its turn */
async function claimAsOwner(tx: Transaction, { accountId, operatorId }: Owner): Promise<void> {
  await claimOperators(tx, accountId);
  if (operatorId === undefined || (await findOperator(tx, accountId, operatorId))?.role === 'owner') return;
  throw new ServiceError('FORBIDDEN', 'Nothing was done: you are no longer an owner of this account');
}

/** @throws ServiceError `CONFLICT` when another operator of the account has this address */
export async function requireEmailFree(tx: Transaction, { id, accountId, email }: Operator): Promise<void> {
  const holder = email === null ? undefined : await findOperatorByEmail(tx, accountId, email);
  if (holder !== undefined && holder.id !== id) throw emailTaken(email);
}

/** @throws ServiceError `NOT_FOUND` when this account has no such operator */
export async function requireOperator(tx: Transaction, accountId: AccountId, id: string): Promise<Operator> {
  const operator = await findOperator(tx, accountId, id);
  if (operator === undefined) throw notFound('operator', id);
  return operator;
}

export function asOperator({ id, name, email, role, password, createdAt, lastSeenAt }: Operator): OperatorResource {
  return {
    id,
    name,
    email,
    role,
    hasPassword: password !== null,
    createdAt: isoTime(createdAt),
    lastSeenAt: isoTimeOrNull(lastSeenAt),
  };
}

async function requireOtherOwner(tx: Transaction, { id, accountId, role, name }: Operator): Promise<void> {
  if (role !== 'owner' || (await countOtherOwners(tx, accountId, id)) > 0) return;
  throw new ServiceError('CONFLICT', `${name} is the last owner of this account; make another operator an owner first`);
}

function invited(operator: Operator, { url, expires }: SignInLink): InvitedOperator {
  return { operator: asOperator(operator), signInUrl: url, expires };
}

function emailTaken(email: string | null): ServiceError {
  return new ServiceError('CONFLICT', `email: this account has an operator with the address ${email}`);
}
