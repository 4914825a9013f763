import { bearerTokenHash, createBearerToken } from '../app/bearer-token.ts';
import type { Service } from '../app/service.ts';
import type { OperatorId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import type { Transaction } from '../storage/database.ts';
import { deleteExpiredCodes, insertSignInCode, type SignInCode } from './queries/sign-in-codes.ts';

/** How long a sign-in link works, and how long a session that it opened may set a password. */
export const CODE_LIFETIME_MS = 30 * 60_000;
/** Each new code deletes a few expired ones, so that the table stays small. */
const DELETED_PER_CODE_MAX = 20;

/** A link that signs an operator in once. */
export interface SignInLink {
  url: string;
  expires: string;
}

/**
 * Creates a sign-in link inside a unit of work. The code is in the fragment, which no browser sends and no log stores.
 */
export async function addSignInLink(
  tx: Transaction,
  { baseUrl, clock }: Pick<Service, 'baseUrl' | 'clock'>,
  operatorId: OperatorId,
  purpose: SignInCode['purpose'],
): Promise<SignInLink> {
  const now = clock();
  const code = createBearerToken('rb_signin_');
  const expiresAt = now + CODE_LIFETIME_MS;
  await deleteExpiredCodes(tx, now, DELETED_PER_CODE_MAX);
  await insertSignInCode(tx, { hash: bearerTokenHash(code), operatorId, purpose, createdAt: now, expiresAt });
  return { url: `${baseUrl}/dashboard/sign-in#code=${code}`, expires: isoTime(expiresAt) };
}
