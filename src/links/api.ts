import { RawReply, route } from '../app/route.ts';
import { isTemporary, ServiceError } from '../errors.ts';
import { archiveLink, deleteLink } from './archive.ts';
import { trackClick } from './click.ts';
import { answerDeadLink } from './dead-link.ts';
import { followLink } from './follow.ts';
import { isLinkKey } from './keys.ts';
import { changeLink, createLink, getLink, listLinks } from './links.ts';
import { clickInput, clickSchema, linkInput, linkListQuery, linkListSchema, linkQuery, linkSchema } from './schemas.ts';
import { isPageFetchedAhead, visitorOf } from './visitor.ts';

const TAG = 'Links';

/** Links and their clicks. */
export const linkRoutes = [
  route({
    operationId: 'createLink',
    method: 'POST',
    path: '/api/links',
    credential: 'api-key',
    action: 'link.create',
    tag: TAG,
    summary: 'Create a link',
    body: linkInput,
    status: 201,
    answer: linkSchema,
    errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE'],
    run: ({ service, caller }, { body }) => createLink(service, caller.accountId, body),
  }),
  route({
    operationId: 'listLinks',
    method: 'GET',
    path: '/api/links',
    credential: 'api-key',
    tag: TAG,
    summary: 'List links with their results',
    description:
      'Newest first, each with its results in the period, or of all time without one. Archived links, and links ' +
      'of archived partners and programs, only with `archived`.',
    query: linkListQuery,
    answer: linkListSchema,
    errors: ['INVALID_STATE'],
    run: ({ service, caller }, { query }) => listLinks(service, caller.accountId, query),
  }),
  route({
    operationId: 'getLink',
    method: 'GET',
    path: '/api/links/:id',
    credential: 'api-key',
    tag: TAG,
    summary: 'Get a link with its results',
    query: linkQuery,
    answer: linkSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters, query }) => getLink(service, caller.accountId, parameters.id, query),
  }),
  route({
    operationId: 'updateLink',
    method: 'PATCH',
    path: '/api/links/:id',
    credential: 'api-key',
    action: 'link.update',
    tag: TAG,
    summary: 'Change a link',
    description: 'The link may move to another partner of the same program, who then gets later clicks and leads.',
    patch: linkInput,
    answer: linkSchema,
    errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters, patch }) => changeLink(service, caller.accountId, parameters.id, patch),
  }),
  route({
    operationId: 'archiveLink',
    method: 'POST',
    path: '/api/links/:id/archive',
    credential: 'api-key',
    action: 'link.archive',
    tag: TAG,
    summary: 'Archive a link',
    description:
      'The link is dead for visitors; other processes notice within a second. Its domain and key stay taken, and ' +
      'customers who came through it still earn the partner commission.',
    answer: linkSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters }) => archiveLink(service, caller.accountId, parameters.id, true),
  }),
  route({
    operationId: 'unarchiveLink',
    method: 'POST',
    path: '/api/links/:id/unarchive',
    credential: 'api-key',
    action: 'link.unarchive',
    tag: TAG,
    summary: 'Restore an archived link',
    answer: linkSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters }) => archiveLink(service, caller.accountId, parameters.id, false),
  }),
  route({
    operationId: 'deleteLink',
    method: 'DELETE',
    path: '/api/links/:id',
    credential: 'api-key',
    action: 'link.delete',
    tag: TAG,
    summary: 'Delete a link that nobody has followed',
    description: '409 when it has clicks, leads or sales; archive it instead. Its domain and key become free.',
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async run({ service, caller }, { parameters }) {
      await deleteLink(service, caller.accountId, parameters.id);
      return undefined;
    },
  }),
  route({
    operationId: 'trackClick',
    method: 'POST',
    path: '/api/track/click',
    credential: 'public',
    tag: 'Browser',
    summary: 'Record a click on a link that the browser handles itself',
    description:
      'For `?via=<key>` links: the page reports the visit and gets the click id and the partner. ' +
      'At most 120 per minute and address.',
    body: clickInput,
    answer: clickSchema,
    errors: ['NOT_FOUND', 'ORIGIN_NOT_ALLOWED'],
    cors: 'any',
    cacheControl: 'no-store',
    limitByAddress: true,
    unknownMembers: 'ignore',
    async run({ service, request }, { body }) {
      const visitor = visitorOf(service, request);
      const origin = request.headers.origin ?? null;
      return trackClick(service, body, origin, typeof visitor === 'string' ? null : visitor);
    },
  }),
  route({
    operationId: 'followLink',
    method: 'GET',
    path: '/:key',
    credential: 'public',
    tag: 'Browser',
    summary: 'Follow a link',
    description:
      'On the domain of the link. Records the click and redirects to the destination with `svc_id` added. Bots, ' +
      'previews and headless browsers are redirected without a click, as is an address beyond its clicks per minute; ' +
      '`X-Refbridge-Click` says why. A browser that fetches it ahead as a page (`Sec-Purpose`, `Sec-Fetch-Dest: document`) is ' +
      'refused, so that it asks again when the visitor follows the link. A link that does not exist or is archived leads to the `deadLinkUrl` of the account that the domain ' +
      'belongs to; without one, browsers get a page with status 404.',
    otherAnswers: [
      { status: 302, description: 'To the destination of the link, or to the `deadLinkUrl`.' },
      { status: 403, description: 'Empty: a browser fetches the link ahead of the visit.' },
      { status: 404, description: 'A page for browsers: there is no such link.', contentTypes: ['text/html'] },
    ],
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
    errorFormat: 'text',
    cacheControl: 'no-store',
    headers: redirectHeaders,
    unknownMembers: 'ignore',
    accepts: ({ key }) => isLinkKey(key),
    async run({ service, request }, { parameters: { key } }) {
      const { host: domain = '' } = request.headers;
      const visit = { domain, key, query: queryOf(request.url) };
      const redirect = await followLink(service, visit, visitorOf(service, request)).catch(rethrowForVisitor);
      if (redirect === null) return answerDeadLink(service, request).catch(rethrowForVisitor);
      const { destination, noClick } = redirect;
      const noClickHeader = noClick === null ? {} : { 'X-Refbridge-Click': `none; reason=${noClick}` };
      if (noClick === 'prefetch' && isPageFetchedAhead(request)) return new RawReply(403, noClickHeader);
      return new RawReply(302, { Location: destination, ...noClickHeader });
    },
  }),
] as const;

/**
 * Overrides `no-referrer`, which other responses send and which would hide the visitor's origin from the shop. With
 * this policy the shop sees what the page with the link chose to reveal.
 */
function redirectHeaders(baseUrl: string): Record<string, string> {
  return {
    'Referrer-Policy': 'no-referrer-when-downgrade',
    'X-Content-Type-Options': 'nosniff',
    ...(baseUrl.startsWith('https:') ? { 'Strict-Transport-Security': 'max-age=31536000' } : {}),
  };
}

/** A visitor sees this only for an uncached link while the database is unavailable. */
function rethrowForVisitor(error: unknown): never {
  if (!isTemporary(error)) throw error;
  throw new ServiceError('UNAVAILABLE', 'This link cannot be opened right now. Please try again in a moment.', {
    retryAfterSeconds: error.retryAfterSeconds ?? 2,
    cause: error,
  });
}

function queryOf(url: string): string {
  const queryAt = url.indexOf('?');
  return queryAt < 0 ? '' : url.slice(queryAt + 1);
}
