import { randomInt } from 'node:crypto';
import { operatorInput } from '../../src/accounts/operator-schemas.ts';
import { inviteOperator } from '../../src/accounts/operators.ts';
import type { AccountId } from '../../src/core/ids.ts';
import type { OperatorRole } from '../../src/core/operator.ts';
import { parseInput } from '../../src/schema/parse.ts';
import { type Answer, type CallOptions, call, type TestApp } from './app.ts';
import { unique } from './story.ts';

/** The header that a browser adds to a change made by a page of the service. */
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** An operator who is signed in. */
export interface SignedIn {
  id: string;
  email: string;
  /** `name=value`, as the browser sends it back. */
  cookie: string;
  /** A request by a page of the service. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
}

/** A client address that no other test uses; for apps with `trustProxy: 1`, because attempts are limited by address. */
export const freshAddress = () => ({
  'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
});

/** Tries to sign in, from a new address. */
export function signIn(app: TestApp, body: object, headers: Record<string, string> = freshAddress()): Promise<Answer> {
  return call(`${app.url}/api/session`, 'POST', { body, headers });
}

/** `name=value` of the cookie that an answer sets. */
export function cookieOf({ headers }: Answer): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

const codeOf = (url: string) => new URL(url).hash.replace('#code=', '');

/** The code of a new operator's sign-in address. */
export async function invite(
  app: TestApp,
  role: OperatorRole = 'owner',
  accountId: AccountId = app.accountId,
): Promise<{ id: string; email: string; code: string }> {
  const email = `${unique('operator')}@example.com`;
  const input = parseInput(operatorInput, { name: `Olga ${role}`, email, role });
  const { operator, signInUrl } = await inviteOperator(app.service, { accountId }, input);
  return { id: operator.id, email, code: codeOf(signInUrl) };
}

/** A new operator of the account, signed in; the app needs `trustProxy: 1`. */
export async function createOperator(
  app: TestApp,
  role: OperatorRole = 'owner',
  accountId: AccountId = app.accountId,
): Promise<SignedIn> {
  const { id, email, code } = await invite(app, role, accountId);
  const answer = await signIn(app, { code });
  if (answer.status !== 200) throw new Error(`Not signed in: ${answer.text}`);
  const cookie = cookieOf(answer);
  return { id, email, cookie, call: callWith(app, cookie) };
}

/** Requests by a page of the service, with this cookie. */
export function callWith(app: TestApp, cookie: string): SignedIn['call'] {
  return (method, path, { headers = {}, ...options } = {}) =>
    call(app.url + path, method, { ...options, headers: { cookie, ...OWN_PAGE, ...headers } });
}
