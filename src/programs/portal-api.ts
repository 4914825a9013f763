import { cookieFor, expiredCookie, tokenInCookies } from '../app/cookies.ts';
import { Reply, route } from '../app/route.ts';
import { endPortalAccess } from './portal-access.ts';
import { endedPortalAccessSchema } from './portal-access-schemas.ts';
import { closePortal, createPortalLink, openPortal, PORTAL_SESSION_LIFETIME_MS } from './portal-links.ts';
import { portalCodeInput, portalLinkSchema, portalSessionSchema } from './schemas.ts';

const TAG = 'Portal';

/** The portal for partners who have no account in your product. */
export const portalRoutes = [
  route({
    operationId: 'createPortalLink',
    method: 'POST',
    path: '/api/partners/:id/portal-link',
    credential: 'api-key',
    action: 'partner.create_portal_link',
    tag: TAG,
    summary: "Create an address that opens a partner's portal",
    description:
      'For partners who have no account in your product. It works once, within seven days, and the browser that opens ' +
      'it stays signed in for 30 days. Send it to the partner yourself.',
    status: 201,
    answer: portalLinkSchema,
    errors: ['NOT_FOUND'],
    cacheControl: 'no-store',
    run: ({ service, caller }, { parameters }) => createPortalLink(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'endPortalAccess',
    method: 'DELETE',
    path: '/api/partners/:id/portal-access',
    credential: 'api-key',
    action: 'partner.end_portal_access',
    tag: TAG,
    summary: "End all access to a partner's portal",
    description:
      'Links that were not opened yet, sessions and embed tokens end at once, in every process. Those created later work. ' +
      'Your backend can still request tokens for the partner.',
    answer: endedPortalAccessSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => endPortalAccess(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'openPortal',
    method: 'POST',
    path: '/api/embed/session',
    credential: 'public',
    tag: TAG,
    summary: 'Open the portal with the code of a portal link',
    description:
      'Exchanges the one-time code for a session of 30 days: a cookie that scripts cannot read. The operations of ' +
      'the portal take it in place of an embed token.',
    body: portalCodeInput,
    answer: portalSessionSchema,
    sameOrigin: true,
    attemptedName: () => null,
    cacheControl: 'no-store',
    async run({ service }, { body }) {
      const { session, token } = await openPortal(service, body.code);
      const cookie = cookieFor('portal', service.baseUrl, token, PORTAL_SESSION_LIFETIME_MS);
      return new Reply(200, session, { 'Set-Cookie': cookie });
    },
  }),
  route({
    operationId: 'closePortal',
    method: 'DELETE',
    path: '/api/embed/session',
    credential: 'public',
    tag: TAG,
    summary: 'End the session of a portal link',
    sameOrigin: true,
    errors: ['UNAVAILABLE'],
    cacheControl: 'no-store',
    async run({ service, request }) {
      await closePortal(service, tokenInCookies('portal', service.baseUrl, request.headers.cookie));
      return new Reply(204, undefined, { 'Set-Cookie': expiredCookie('portal', service.baseUrl) });
    },
  }),
] as const;
