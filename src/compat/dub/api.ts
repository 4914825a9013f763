import { z } from 'zod';
import { type Route, route } from '../../app/route.ts';
import { getDubCustomer, listDubCustomers } from './customers.ts';
import {
  dubLinkInfoQuery,
  dubLinkInput,
  dubLinkListQuery,
  dubLinkPatch,
  dubLinkSchema,
  dubPartnerLinkInput,
  dubShortLinkSchema,
} from './link-schemas.ts';
import {
  changeDubLink,
  createDubLink,
  createDubPartnerLink,
  getDubLink,
  listDubLinks,
  upsertDubLink,
} from './links.ts';
import {
  dubCommissionListQuery,
  dubCommissionSchema,
  dubCustomerListQuery,
  dubCustomerQuery,
  dubCustomerSchema,
  dubPayoutListQuery,
  dubPayoutSchema,
} from './list-schemas.ts';
import { listDubCommissions, listDubPayouts } from './money.ts';
import { dubPartnerInput, dubPartnerLinksQuery, dubPartnerListQuery, dubPartnerSchema } from './partner-schemas.ts';
import { createDubPartner, listDubPartnerLinks, listDubPartners } from './partners.ts';
import { issueDubToken, trackDubLead, trackDubSale } from './track.ts';
import { anyObject, dubLeadSchema, dubSaleSchema, dubTokenInput, dubTokenSchema } from './track-schemas.ts';

/** What all of these routes share: they accept our API key and respond as the `dub` package expects. */
const DUB = {
  credential: 'api-key-only',
  tag: 'Compatibility',
  summary: 'As the `dub` package expects it',
  errorFormat: 'dub',
  unknownMembers: 'ignore',
  errors: ['NOT_FOUND', 'CONFLICT', 'DUPLICATE_INVOICE', 'INVALID_CLICK_ID'],
} as const;

/** The visits, sign-ups and payments that a backend reports. */
const trackingRoutes = [
  route({
    ...DUB,
    operationId: 'trackDubLead',
    scope: 'track',
    method: 'POST',
    path: '/compat/dub/track/lead',
    body: anyObject,
    answer: dubLeadSchema,
    run: ({ service, caller }, { body }) => trackDubLead(service, caller.accountId, body),
  }),
  route({
    ...DUB,
    operationId: 'trackDubSale',
    scope: 'track',
    method: 'POST',
    path: '/compat/dub/track/sale',
    body: anyObject,
    answer: dubSaleSchema,
    run: ({ service, caller }, { body }) => trackDubSale(service, caller.accountId, body),
  }),
  route({
    ...DUB,
    operationId: 'createDubEmbedToken',
    scope: 'track',
    action: 'partner.enroll',
    method: 'POST',
    path: '/compat/dub/tokens/embed/referrals',
    body: dubTokenInput,
    status: 201,
    answer: dubTokenSchema,
    cacheControl: 'no-store',
    run: ({ service, caller }, { body }) => issueDubToken(service, caller, body),
  }),
] as const;

const linkRoutes = [
  route({
    ...DUB,
    operationId: 'createDubLink',
    action: 'link.create',
    method: 'POST',
    path: '/compat/dub/links',
    body: dubLinkInput,
    answer: dubLinkSchema,
    run: ({ service, caller }, { body }) => createDubLink(service, caller.accountId, body),
  }),
  route({
    ...DUB,
    operationId: 'listDubLinks',
    method: 'GET',
    path: '/compat/dub/links',
    query: dubLinkListQuery,
    answer: z.array(dubLinkSchema),
    run: ({ service, caller }, { query }) => listDubLinks(service, caller, query),
  }),
  route({
    ...DUB,
    operationId: 'getDubLink',
    method: 'GET',
    path: '/compat/dub/links/info',
    query: dubLinkInfoQuery,
    answer: dubLinkSchema,
    run: ({ service, caller }, { query }) => getDubLink(service, caller.accountId, query),
  }),
  route({
    ...DUB,
    operationId: 'updateDubLink',
    action: 'link.update',
    method: 'PATCH',
    path: '/compat/dub/links/:id',
    body: dubLinkPatch,
    bodyIsOptional: true,
    answer: dubLinkSchema,
    run: ({ service, caller }, { parameters, body }) => changeDubLink(service, caller.accountId, parameters.id, body),
  }),
  route({
    ...DUB,
    operationId: 'upsertDubLink',
    action: 'link.update',
    method: 'PUT',
    path: '/compat/dub/links/upsert',
    body: dubLinkInput,
    answer: dubLinkSchema,
    run: ({ service, caller }, { body }) => upsertDubLink(service, caller.accountId, body),
  }),
] as const;

const partnerRoutes = [
  route({
    ...DUB,
    operationId: 'createDubPartner',
    action: 'partner.create',
    method: 'POST',
    path: '/compat/dub/partners',
    body: dubPartnerInput,
    status: 201,
    answer: dubPartnerSchema,
    run: ({ service, caller }, { body }) => createDubPartner(service, caller.accountId, body),
  }),
  route({
    ...DUB,
    operationId: 'listDubPartners',
    method: 'GET',
    path: '/compat/dub/partners',
    query: dubPartnerListQuery,
    answer: z.array(dubPartnerSchema),
    run: ({ service, caller }, { query }) => listDubPartners(service, caller, query),
  }),
  route({
    ...DUB,
    operationId: 'createDubPartnerLink',
    action: 'link.create',
    method: 'POST',
    path: '/compat/dub/partners/links',
    body: dubPartnerLinkInput,
    status: 201,
    answer: dubLinkSchema,
    run: ({ service, caller }, { body }) => createDubPartnerLink(service, caller.accountId, body),
  }),
  route({
    ...DUB,
    operationId: 'listDubPartnerLinks',
    method: 'GET',
    path: '/compat/dub/partners/links',
    query: dubPartnerLinksQuery,
    answer: z.array(dubShortLinkSchema),
    run: ({ service, caller }, { query }) => listDubPartnerLinks(service, caller.accountId, query),
  }),
] as const;

const listRoutes = [
  route({
    ...DUB,
    operationId: 'listDubCustomers',
    method: 'GET',
    path: '/compat/dub/customers',
    query: dubCustomerListQuery,
    answer: z.array(dubCustomerSchema),
    run: ({ service, caller }, { query }) => listDubCustomers(service, caller, query),
  }),
  route({
    ...DUB,
    operationId: 'getDubCustomer',
    method: 'GET',
    path: '/compat/dub/customers/:id',
    query: dubCustomerQuery,
    answer: dubCustomerSchema,
    run: ({ service, caller }, { parameters, query }) =>
      getDubCustomer(service, caller.accountId, parameters.id, query.includeExpandedFields),
  }),
  route({
    ...DUB,
    operationId: 'listDubCommissions',
    method: 'GET',
    path: '/compat/dub/commissions',
    query: dubCommissionListQuery,
    answer: z.array(dubCommissionSchema),
    run: ({ service, caller }, { query }) => listDubCommissions(service, caller, query),
  }),
  route({
    ...DUB,
    operationId: 'listDubPayouts',
    method: 'GET',
    path: '/compat/dub/payouts',
    query: dubPayoutListQuery,
    answer: z.array(dubPayoutSchema),
    run: ({ service, caller }, { query }) => listDubPayouts(service, caller, query),
  }),
] as const;

/**
 * The calls of the `dub` package that Refbridge supports. They are not in the API reference, because that package
 * documents them.
 */
export const dubRoutes: readonly Route[] = [...trackingRoutes, ...linkRoutes, ...partnerRoutes, ...listRoutes];
