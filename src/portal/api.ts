import { route } from '../app/route.ts';
import { onboardingInput, onboardingLinkSchema } from '../payouts/transfers/schemas.ts';
import { ownPayoutDetailsInput } from '../programs/payout-details-schemas.ts';
import { getPortalEarnings, getPortalTerms, listPortalLinks, listPortalSales } from './parts.ts';
import {
  createPortalOnboardingLink,
  getPortalOnboarding,
  getPortalPayoutDetails,
  setPortalPayoutDetails,
} from './payout-details.ts';
import { answerPortalStatement, getPortalStatement, listPortalPayouts } from './payouts.ts';
import {
  partnerLinkListSchema,
  partnerLinkQuery,
  portalEarningsSchema,
  portalOnboardingSchema,
  portalPayoutDetailsSchema,
  portalPayoutListSchema,
  portalPayoutQuery,
  portalSaleListSchema,
  portalSaleQuery,
  portalStatementQuery,
  portalStatementSchema,
  portalStatisticsQuery,
  portalStatisticsSchema,
  portalTermsSchema,
} from './schemas.ts';
import { getPortalStatistics } from './statistics.ts';

/** What these routes share: they respond only to one partner's token, and only to pages that may embed the portal. */
const COMMON = {
  method: 'GET',
  credential: 'embed-token',
  tag: 'Portal',
  errors: ['NOT_FOUND'],
  cors: 'portal',
} as const;

/** What a partner sees of their own data: terms, links, results, earnings and payouts. */
export const portalDataRoutes = [
  route({
    ...COMMON,
    operationId: 'getPortalTerms',
    path: '/api/embed/referrals/terms',
    summary: 'Get the terms under which the partner earns',
    answer: portalTermsSchema,
    run: ({ service, caller }) => getPortalTerms(service, caller),
  }),
  route({
    ...COMMON,
    operationId: 'listPortalLinks',
    path: '/api/embed/referrals/links',
    summary: "List the partner's links",
    description: 'Newest first. 404 while `showReferralLink` is off.',
    query: partnerLinkQuery,
    answer: partnerLinkListSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { query }) => listPortalLinks(service, caller, query),
  }),
  route({
    ...COMMON,
    operationId: 'getPortalStatistics',
    path: '/api/embed/referrals/statistics',
    summary: "Get the partner's clicks, leads and sales",
    description: 'By month or day, at most 366 days. 404 while `showStats` is off.',
    query: portalStatisticsQuery,
    answer: portalStatisticsSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { query }) => getPortalStatistics(service, caller, query),
  }),
  route({
    ...COMMON,
    operationId: 'getPortalEarnings',
    path: '/api/embed/referrals/earnings',
    summary: 'Get what the partner earned',
    description: 'By currency, of all time. 404 while `showEarnings` is off.',
    answer: portalEarningsSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }) => getPortalEarnings(service, caller),
  }),
  route({
    ...COMMON,
    operationId: 'listPortalSales',
    path: '/api/embed/referrals/sales',
    summary: 'List the sales that earned the partner commission',
    description: 'Newest first. 404 while `showEarnings` is off.',
    query: portalSaleQuery,
    answer: portalSaleListSchema,
    run: ({ service, caller }, { query }) => listPortalSales(service, caller, query),
  }),
  route({
    ...COMMON,
    operationId: 'listPortalPayouts',
    path: '/api/embed/referrals/payouts',
    summary: "List the partner's payouts",
    description: 'Newest first. 404 while `showPayoutHistory` is off.',
    query: portalPayoutQuery,
    answer: portalPayoutListSchema,
    run: ({ service, caller }, { query }) => listPortalPayouts(service, caller, query),
  }),
  route({
    ...COMMON,
    operationId: 'getPortalStatement',
    path: '/api/embed/referrals/payouts/:id/statement',
    summary: 'Get what a payout of the partner contains',
    description: 'Page by page, or whole as a page to print or as CSV. 404 while `showPayoutHistory` is off.',
    query: portalStatementQuery,
    answer: portalStatementSchema,
    otherAnswers: [
      {
        status: 200,
        description: 'A page of it; with `format` the whole statement.',
        contentTypes: ['text/html', 'text/csv'],
        schema: portalStatementSchema,
      },
    ],
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters: { id }, query: { format, ...page } }) =>
      format === 'json'
        ? getPortalStatement(service, caller, id, page)
        : answerPortalStatement(service, caller, id, format),
  }),
  route({
    ...COMMON,
    operationId: 'getPortalPayoutDetails',
    path: '/api/embed/referrals/payout-details',
    summary: 'Get how the partner is paid',
    description: 'Masked. 404 while `showPayoutHistory` is off.',
    answer: portalPayoutDetailsSchema,
    run: ({ service, caller }) => getPortalPayoutDetails(service, caller),
  }),
  route({
    ...COMMON,
    method: 'PUT',
    operationId: 'setPortalPayoutDetails',
    path: '/api/embed/referrals/payout-details',
    summary: 'Set how the partner is paid',
    description: 'The audit log names the partner. 404 while `showPayoutHistory` is off.',
    body: ownPayoutDetailsInput,
    answer: portalPayoutDetailsSchema,
    run: ({ service, caller }, { body }) => setPortalPayoutDetails(service, caller, body),
  }),
  route({
    ...COMMON,
    method: 'POST',
    operationId: 'createPortalOnboardingLink',
    path: '/api/embed/referrals/payout-onboarding',
    summary: 'Create a link with which the partner signs up at the provider',
    description:
      'A page of the provider, which no frame can show. It works once, and for minutes. From then on, the provider pays the ' +
      'partner. 404 while `showPayoutHistory` is off.',
    body: onboardingInput,
    answer: onboardingLinkSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'CONFLICT'],
    cacheControl: 'no-store',
    run: ({ service, caller }, { body }) => createPortalOnboardingLink(service, caller, body),
  }),
  route({
    ...COMMON,
    operationId: 'getPortalOnboarding',
    path: '/api/embed/referrals/payout-onboarding',
    summary: 'Ask the provider whether it would pay the partner now',
    description: '404 while `showPayoutHistory` is off.',
    answer: portalOnboardingSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }) => getPortalOnboarding(service, caller),
  }),
] as const;
