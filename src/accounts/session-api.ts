import { cookieFor, expiredCookie } from '../app/cookies.ts';
import { Reply, route } from '../app/route.ts';
import {
  operatorSchema,
  ownPatch,
  sessionListQuery,
  sessionListSchema,
  signedInSchema,
  signInInput,
} from './operator-schemas.ts';
import { endSession, listSessions, SESSION_LIFETIME_MS } from './sessions.ts';
import { changeSelf, getSignedIn, signIn } from './sign-in.ts';

const TAG = 'Signing in';
const NO_STORE = { cacheControl: 'no-store' } as const;

/** The caller's own session, and the sessions of all operators. */
export const sessionRoutes = [
  route({
    operationId: 'signIn',
    method: 'POST',
    path: '/api/session',
    credential: 'public',
    tag: TAG,
    summary: 'Sign in',
    description:
      'Exchanges the one-time code of a sign-in address, or an e-mail address and a password, for a session. The ' +
      'session is a cookie that scripts cannot read. Attempts are limited per client address and per e-mail address.',
    body: signInInput,
    answer: signedInSchema,
    sameOrigin: true,
    attemptedName: ({ body }) => body.email,
    ...NO_STORE,
    async run({ service, request }, { body }) {
      const { signedIn, token } = await signIn(service, body, request.headers['user-agent']);
      const cookie = cookieFor('session', service.baseUrl, token, SESSION_LIFETIME_MS);
      return new Reply(200, signedIn, { 'Set-Cookie': cookie });
    },
  }),
  route({
    operationId: 'getSession',
    method: 'GET',
    path: '/api/session',
    credential: 'session',
    tag: TAG,
    summary: 'Get who is signed in',
    answer: signedInSchema,
    errors: ['NOT_FOUND'],
    ...NO_STORE,
    run: ({ service, caller }) => getSignedIn(service, caller),
  }),
  route({
    operationId: 'updateSelf',
    method: 'PATCH',
    path: '/api/session',
    credential: 'session',
    role: 'viewer',
    action: 'operator.update',
    tag: TAG,
    summary: 'Change your own name, e-mail address or password',
    description: 'A new password ends all other sessions.',
    patch: ownPatch,
    answer: operatorSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    // whoever has taken a session over could guess the password from many addresses
    attemptedName: ({ patch }, { operatorId }) => (Object.hasOwn(patch, 'currentPassword') ? operatorId : null),
    ...NO_STORE,
    run: ({ service, caller }, { patch }) => changeSelf(service, caller, patch),
  }),
  route({
    operationId: 'signOut',
    method: 'DELETE',
    path: '/api/session',
    credential: 'session',
    role: 'viewer',
    action: 'session.delete',
    tag: TAG,
    summary: 'Sign out',
    errors: ['NOT_FOUND'],
    ...NO_STORE,
    async run({ service, caller }) {
      await endSession(service, caller, caller.sessionId);
      return new Reply(204, undefined, { 'Set-Cookie': expiredCookie('session', service.baseUrl) });
    },
  }),
  route({
    operationId: 'listSessions',
    method: 'GET',
    path: '/api/sessions',
    credential: 'session',
    tag: TAG,
    summary: 'List sessions',
    description: 'Your own sessions; for an owner, those of all operators. Newest first.',
    query: sessionListQuery,
    answer: sessionListSchema,
    run: ({ service, caller }, { query }) => listSessions(service, caller, query),
  }),
  route({
    operationId: 'endSession',
    method: 'DELETE',
    path: '/api/sessions/:id',
    credential: 'session',
    role: 'viewer',
    action: 'session.delete',
    tag: TAG,
    summary: 'End a session',
    description: 'Your own session; for an owner, that of any operator. It takes effect with the next request.',
    errors: ['NOT_FOUND'],
    async run({ service, caller }, { parameters }) {
      await endSession(service, caller, parameters.id);
      return undefined;
    },
  }),
] as const;
