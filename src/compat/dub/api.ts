import { z } from 'zod';
import { type Callers, type Route, route } from '../../app/route.ts';
import type { ErrorCode } from '../../errors.ts';
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
  errors: ['NOT_FOUND', 'CONFLICT', 'DUPLICATE_INVOICE', 'INVALID_CLICK_ID'] as ErrorCode[],
} as const;

const accountOf = ({ caller }: { caller: Callers['api-key-only'] }) => caller.accountId;

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
    run: (context, { body }) => trackDubLead(context.service, accountOf(context), body),
  }),
  route({
    ...DUB,
    operationId: 'trackDubSale',
    scope: 'track',
    method: 'POST',
    path: '/compat/dub/track/sale',
    body: anyObject,
    answer: dubSaleSchema,
    run: (context, { body }) => trackDubSale(context.service, accountOf(context), body),
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
    run: (context, { body }) => issueDubToken(context.service, context.caller, body),
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
    run: (context, { body }) => createDubLink(context.service, accountOf(context), body),
  }),
  route({
    ...DUB,
    operationId: 'listDubLinks',
    method: 'GET',
    path: '/compat/dub/links',
    query: dubLinkListQuery,
    answer: z.array(dubLinkSchema),
    run: (context, { query }) => listDubLinks(context.service, context.caller, query),
  }),
  route({
    ...DUB,
    operationId: 'getDubLink',
    method: 'GET',
    path: '/compat/dub/links/info',
    query: dubLinkInfoQuery,
    answer: dubLinkSchema,
    run: (context, { query }) => getDubLink(context.service, accountOf(context), query),
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
    run: (context, { parameters, body }) => changeDubLink(context.service, accountOf(context), parameters.id, body),
  }),
  route({
    ...DUB,
    operationId: 'upsertDubLink',
    action: 'link.update',
    method: 'PUT',
    path: '/compat/dub/links/upsert',
    body: dubLinkInput,
    answer: dubLinkSchema,
    run: (context, { body }) => upsertDubLink(context.service, accountOf(context), body),
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
    run: (context, { body }) => createDubPartner(context.service, accountOf(context), body),
  }),
  route({
    ...DUB,
    operationId: 'listDubPartners',
    method: 'GET',
    path: '/compat/dub/partners',
    query: dubPartnerListQuery,
    answer: z.array(dubPartnerSchema),
    run: (context, { query }) => listDubPartners(context.service, context.caller, query),
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
    run: (context, { body }) => createDubPartnerLink(context.service, accountOf(context), body),
  }),
  route({
    ...DUB,
    operationId: 'listDubPartnerLinks',
    method: 'GET',
    path: '/compat/dub/partners/links',
    query: dubPartnerLinksQuery,
    answer: z.array(dubShortLinkSchema),
    run: (context, { query }) => listDubPartnerLinks(context.service, accountOf(context), query),
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
    run: (context, { query }) => listDubCustomers(context.service, context.caller, query),
  }),
  route({
    ...DUB,
    operationId: 'getDubCustomer',
    method: 'GET',
    path: '/compat/dub/customers/:id',
    query: dubCustomerQuery,
    answer: dubCustomerSchema,
    run: (context, { parameters, query }) =>
      getDubCustomer(context.service, accountOf(context), parameters.id, query.includeExpandedFields),
  }),
  route({
    ...DUB,
    operationId: 'listDubCommissions',
    method: 'GET',
    path: '/compat/dub/commissions',
    query: dubCommissionListQuery,
    answer: z.array(dubCommissionSchema),
    run: (context, { query }) => listDubCommissions(context.service, context.caller, query),
  }),
  route({
    ...DUB,
    operationId: 'listDubPayouts',
    method: 'GET',
    path: '/compat/dub/payouts',
    query: dubPayoutListQuery,
    answer: z.array(dubPayoutSchema),
    run: (context, { query }) => listDubPayouts(context.service, context.caller, query),
  }),
] as const;

/**
 * The calls of the `dub` package that Refbridge supports. They are not in the API reference, because that package
 * documents them.
 */
export const dubRoutes: readonly Route[] = [...trackingRoutes, ...linkRoutes, ...partnerRoutes, ...listRoutes];
