import { noteChange } from '../app/noted-changes.ts';
import type { Service } from '../app/service.ts';
import type { AccountId } from '../core/ids.ts';
import { notFound, ServiceError } from '../errors.ts';
import type { Transaction } from '../storage/database.ts';
import type { FirstOwnerInput } from './operator-schemas.ts';
import { addOperator, claimOperators } from './operators.ts';
import { findOperator, findOperatorByEmail, findOperators, type Operator } from './queries/operators.ts';
import { addSignInLink, type SignInLink } from './sign-in-codes.ts';

/** The number of operators that the error for an ambiguous request lists. */
const NAMED_OPERATORS_MAX = 10;

/** The operator that a sign-in link is for. */
export interface LoginLinkInput {
  /** An e-mail address or id; null for the only operator, or for a first one. */
  operator: string | null;
  /** The first owner, used if the account has no operator yet. */
  firstOwner: FirstOwnerInput;
}

/**
 * Creates a sign-in link for an operator: the named one, or the account's only one, or an owner who is added because
 * the account has none. For the person at the command line; never sent over HTTP.
 *
 * @throws ServiceError `NOT_FOUND`; `CONFLICT` when none is named and the account has several
 */
export function createLoginLink(service: Service, accountId: AccountId, input: LoginLinkInput): Promise<SignInLink> {
  return service.database.write(
    async (tx) => {
      await claimOperators(tx, accountId);
      const { id } = await operatorFor(tx, accountId, input, service.clock());
      noteChange(tx, { resourceId: id });
      return addSignInLink(tx, service, id, 'sign_in');
    },
    { alone: true },
  );
}

async function operatorFor(
  tx: Transaction,
  accountId: AccountId,
  { operator: named, firstOwner }: LoginLinkInput,
  now: number,
): Promise<Operator> {
  if (named !== null) {
    const found =
      (await findOperatorByEmail(tx, accountId, named.toLowerCase())) ?? (await findOperator(tx, accountId, named));
    if (found === undefined) throw notFound('operator', named);
    return found;
  }
  const known = await findOperators(tx, accountId, { limit: NAMED_OPERATORS_MAX, beforeId: 'opr_z' });
  const [only, ...others] = known;
  if (only === undefined) {
    return addOperator(tx, accountId, { ...firstOwner, role: 'owner' }, now);
  }
  if (others.length === 0) return only;
  const names = known.map(({ id, name, email }) => `${email ?? id} (${name})`).join(', ');
  throw new ServiceError('CONFLICT', `This account has several operators. Name one with --operator: ${names}`);
}
