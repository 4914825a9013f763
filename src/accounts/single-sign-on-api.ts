import type { OutgoingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { cookieFor, expiredCookie, tokenInCookies } from '../app/cookies.ts';
import { RawReply, route } from '../app/route.ts';
import { signInMethodsSchema } from './operator-schemas.ts';
import { SESSION_LIFETIME_MS } from './sessions.ts';
import {
  ATTEMPT_LIFETIME_MS,
  CALLBACK_PATH,
  finishSingleSignOn,
  logFailure,
  startSingleSignOn,
} from './single-sign-on.ts';
import type { SignInProblem } from './single-sign-on-problems.ts';

const TAG = 'Signing in';
const REDIRECTED = { status: 302, description: 'Where the browser is sent.', contentTypes: [] } as const;
/** People open these addresses, which contain one-time secrets: no cache may keep them. */
const OPENED_BY_PEOPLE = {
  method: 'GET',
  credential: 'public',
  tag: TAG,
  errorFormat: 'text',
  unknownMembers: 'ignore',
  otherAnswers: [REDIRECTED],
  errors: ['NOT_FOUND', 'UNAVAILABLE', 'OUTCOME_UNKNOWN'],
  cacheControl: 'no-store',
} as const;

/** Signing in at an OpenID provider. */
export const singleSignOnRoutes = [
  route({
    operationId: 'getSignInMethods',
    method: 'GET',
    path: '/api/sign-in-methods',
    credential: 'public',
    tag: TAG,
    summary: 'Get how operators may sign in',
    answer: signInMethodsSchema,
    cacheControl: 'no-cache',
    run: async ({ service }) => ({ password: true as const, singleSignOn: service.singleSignOn !== null }),
  }),
  route({
    ...OPENED_BY_PEOPLE,
    operationId: 'startSingleSignOn',
    path: '/dashboard/single-sign-on',
    summary: 'Sign in at the OpenID provider',
    description:
      'Needs `OIDC_ISSUER`. Sends the browser to the provider, which sends it back. An operator whose e-mail address ' +
      'the provider has verified is then signed in.',
    query: z.object({
      return: z.string().optional().describe('The page of the dashboard to open afterwards: `/sales`.'),
      account: z.string().optional().describe('The account to sign in to, for operators of several.'),
    }),
    async run({ service, request }, { query }) {
      try {
        const wishes = { returnTo: query.return ?? null, accountId: query.account ?? null };
        const known = tokenInCookies('sign_in', service.baseUrl, request.headers.cookie);
        const { url, cookie } = await startSingleSignOn(service, wishes, known);
        return redirect(url, [attemptsCookie(service.baseUrl, cookie)]);
      } catch (error) {
        return redirect(signInPage(logFailure(service, error)), []);
      }
    },
  }),
  route({
    ...OPENED_BY_PEOPLE,
    operationId: 'finishSingleSignOn',
    path: CALLBACK_PATH,
    summary: 'Return from the OpenID provider',
    description:
      'The redirect URI to register at the provider. Starts a session, or shows the sign-in page with the problem.',
    attemptedName: () => null,
    async run({ service, request }) {
      const { baseUrl } = service;
      const cookie = tokenInCookies('sign_in', baseUrl, request.headers.cookie);
      const userAgent = request.headers['user-agent'];
      const end = await finishSingleSignOn(service, { url: request.url, cookie, userAgent });
      const cookies = end.cookie === null ? [] : [attemptsCookie(baseUrl, end.cookie)];
      if ('problem' in end) return redirect(signInPage(end.problem, end.path), cookies);
      cookies.push(cookieFor('session', baseUrl, end.token, SESSION_LIFETIME_MS));
      return redirect(end.path, cookies);
    },
  }),
] as const;

function attemptsCookie(baseUrl: string, attempts: string): string {
  return attempts === ''
    ? expiredCookie('sign_in', baseUrl)
    : cookieFor('sign_in', baseUrl, attempts, ATTEMPT_LIFETIME_MS);
}

function redirect(location: string, cookies: string[]): RawReply {
  const headers: OutgoingHttpHeaders = { Location: location };
  if (cookies.length > 0) headers['Set-Cookie'] = cookies;
  return new RawReply(302, headers);
}

/** The URL of the sign-in page, which explains what to do about the problem. */
function signInPage(problem: SignInProblem, path = '/dashboard/'): string {
  const returnTo = path.slice('/dashboard'.length);
  const query = new URLSearchParams({ problem, ...(returnTo === '/' ? {} : { return: returnTo }) });
  return `/dashboard/sign-in?${query}`;
}
