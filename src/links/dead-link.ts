import type { IncomingHttpHeaders } from 'node:http';
import { acceptsPage } from '../app/accepts-page.ts';
import { noticePage } from '../app/notice-page.ts';
import { RawReply } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { destinationFor } from '../core/destination.ts';
import { ServiceError } from '../errors.ts';
import { parseHost } from '../schema/host-field.ts';
import { hostOf } from './new-link.ts';
import { findDeadLinkUrl, findDomainOwner } from './queries/links.ts';

interface DeadRequest {
  headers: IncomingHttpHeaders;
}

const DEAD_LINK = {
  status: 404,
  title: 'This link does not exist',
  text: 'It may be misspelled, or no longer in use. Ask whoever gave it to you for the current one.',
};

/**
 * The response to somebody who followed a link that does not exist: a redirect to the `deadLinkUrl` of the account that
 * owns the domain, or a page for browsers. The service's own host belongs to all accounts, so it never redirects.
 *
 * @throws ServiceError `NOT_FOUND` for clients other than browsers; `UNAVAILABLE`
 */
export async function answerDeadLink(service: Service, request: DeadRequest): Promise<RawReply> {
  const domain = linkDomainOf(service, request);
  if (domain !== null) {
    const url = await service.database.read((tx) => findDeadLinkUrl(tx, domain));
    if (url !== undefined) return new RawReply(302, { Location: inAscii(url), 'Cache-Control': 'no-store' });
  }
  if (acceptsPage(request.headers)) return noticePage(DEAD_LINK);
  throw new ServiceError('NOT_FOUND', 'There is no such link.');
}

/**
 * The response to somebody who opens a domain that serves only links without naming a link: the same as for a dead
 * link. Null on any other host, which may be another address of the service.
 *
 * @throws ServiceError `UNAVAILABLE`
 */
export async function answerLinkDomain(service: Service, request: DeadRequest): Promise<RawReply | null> {
  const domain = linkDomainOf(service, request);
  if (domain === null) return null;
  const owner = await service.database.read((tx) => findDomainOwner(tx, domain));
  return owner === undefined ? null : answerDeadLink(service, request);
}

/** The URL in a form that a header can contain, with nothing added or removed. */
function inAscii(url: string): string {
  return destinationFor(url, { query: '', clickId: null, clickParameters: [] });
}

/** The domain of the request in its stored form; null for the service's own host. */
function linkDomainOf({ baseUrl }: Service, { headers }: DeadRequest): string | null {
  const domain = parseHost(headers.host ?? '');
  return domain === hostOf(baseUrl) ? null : domain;
}
