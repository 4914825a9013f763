import { Reply, route } from '../app/route.ts';
import { customerSchema, leadInput, leadListQuery, leadListSchema, trackedLeadSchema } from './customer-schemas.ts';
import { trackLead } from './lead.ts';
import { getCustomer, listLeads } from './list-leads.ts';
import { getSale, listSales } from './list-sales.ts';
import { attributeByHand, getParkedPayment, listParkedPayments } from './parked-payments.ts';
import { attributeInput, parkedListQuery, parkedListSchema, parkedSchema } from './parked-schemas.ts';
import { reportRefund } from './report-refund.ts';
import { reviewSale } from './review-sale.ts';
import { trackSale } from './sale.ts';
import {
  refundInput,
  reviewInput,
  saleDetailSchema,
  saleInput,
  saleListQuery,
  saleListSchema,
  trackedSaleSchema,
} from './sale-schemas.ts';

const TRACKING = 'Tracking';
const SALES = 'Sales';
const CUSTOMERS = 'Customers';
const PARKED = 'Parked payments';

/** Conversions that the caller's backend reports. */
const trackingRoutes = [
  route({
    operationId: 'trackLead',
    method: 'POST',
    path: '/api/track/lead',
    credential: 'api-key',
    tag: TRACKING,
    summary: 'Report a lead',
    description:
      'Binds the customer to the click permanently. A repeated customer and event name counts once and answers the ' +
      'stored lead. Payments parked for this customer become sales.',
    body: leadInput,
    answer: trackedLeadSchema,
    errors: ['INVALID_CLICK_ID'],
    unknownMembers: 'ignore',
    run: ({ service, caller }, { body }) => trackLead(service, caller.accountId, body),
  }),
  route({
    operationId: 'trackSale',
    method: 'POST',
    path: '/api/track/sale',
    credential: 'api-key',
    tag: TRACKING,
    summary: 'Report a sale',
    description: 'Computes the commission and queues the payout. The given click decides which partner earns.',
    body: saleInput,
    answer: trackedSaleSchema,
    errors: ['INVALID_CLICK_ID', 'DUPLICATE_INVOICE'],
    unknownMembers: 'ignore',
    run: ({ service, caller }, { body }) => trackSale(service, caller.accountId, body),
  }),
] as const;

const saleRoutes = [
  route({
    operationId: 'listSales',
    method: 'GET',
    path: '/api/sales',
    credential: 'api-key',
    tag: SALES,
    summary: 'List sales',
    description: 'The newest first.',
    query: saleListQuery,
    answer: saleListSchema,
    run: ({ service, caller }, { query }) => listSales(service, caller.accountId, query),
  }),
  route({
    operationId: 'getSale',
    method: 'GET',
    path: '/api/sales/:id',
    credential: 'api-key',
    tag: SALES,
    summary: 'Get a sale with its refunds, disputes and ledger entries',
    answer: saleDetailSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => getSale(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'reportRefund',
    method: 'POST',
    path: '/api/sales/:id/refunds',
    credential: 'api-key',
    tag: SALES,
    summary: 'Report a refund of your own checkout',
    description: 'Counts like a refund that arrives by webhook, and only once when both have the same id.',
    body: refundInput,
    status: 201,
    answer: saleDetailSchema,
    otherAnswers: [
      { status: 200, description: 'This refund was already known; nothing changed.', schema: saleDetailSchema },
    ],
    errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE'],
    async run({ service, caller: { accountId } }, { parameters: { id }, body }) {
      const { isNew } = await reportRefund(service, accountId, id, body);
      return new Reply(isNew ? 201 : 200, await getSale(service, accountId, id));
    },
  }),
  route({
    operationId: 'approveSale',
    method: 'POST',
    path: '/api/sales/:id/approve',
    credential: 'api-key',
    tag: SALES,
    summary: 'Approve a flagged sale',
    description: 'Pays a sale that was flagged as a self-referral like any other.',
    body: reviewInput,
    bodyIsOptional: true,
    answer: saleDetailSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async run({ service, caller }, { parameters: { id }, body }) {
      await reviewSale(service, { ...caller, saleId: id, decision: 'approved', ...body });
      return getSale(service, caller.accountId, id);
    },
  }),
  route({
    operationId: 'rejectSale',
    method: 'POST',
    path: '/api/sales/:id/reject',
    credential: 'api-key',
    tag: SALES,
    summary: 'Reject a flagged sale',
    description: 'It earns nothing: its commission is reversed in full.',
    body: reviewInput,
    bodyIsOptional: true,
    answer: saleDetailSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async run({ service, caller }, { parameters: { id }, body }) {
      await reviewSale(service, { ...caller, saleId: id, decision: 'rejected', ...body });
      return getSale(service, caller.accountId, id);
    },
  }),
] as const;

const customerRoutes = [
  route({
    operationId: 'getCustomer',
    method: 'GET',
    path: '/api/customers/:externalId',
    credential: 'api-key',
    tag: CUSTOMERS,
    summary: 'Get a customer by your own id',
    answer: customerSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => getCustomer(service, caller.accountId, parameters.externalId),
  }),
  route({
    operationId: 'listLeads',
    method: 'GET',
    path: '/api/leads',
    credential: 'api-key',
    tag: CUSTOMERS,
    summary: 'List leads',
    description: 'The newest first.',
    query: leadListQuery,
    answer: leadListSchema,
    run: ({ service, caller }, { query }) => listLeads(service, caller.accountId, query),
  }),
] as const;

const parkedRoutes = [
  route({
    operationId: 'listParkedPayments',
    method: 'GET',
    path: '/api/parked-payments',
    credential: 'api-key',
    tag: PARKED,
    summary: 'List payments that no partner has earned yet',
    description: 'The newest first, each with what was tried.',
    query: parkedListQuery,
    answer: parkedListSchema,
    run: ({ service, caller }, { query }) => listParkedPayments(service, caller.accountId, query),
  }),
  route({
    operationId: 'getParkedPayment',
    method: 'GET',
    path: '/api/parked-payments/:id',
    credential: 'api-key',
    tag: PARKED,
    summary: 'Get a parked payment',
    answer: parkedSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => getParkedPayment(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'attributeParkedPayment',
    method: 'POST',
    path: '/api/parked-payments/:id/attribute',
    credential: 'api-key',
    tag: PARKED,
    summary: 'Attribute a parked payment by hand',
    description: 'To a customer, to the partner of a click, or to a partner. Answers with the sale.',
    body: attributeInput,
    answer: saleDetailSchema,
    errors: ['NOT_FOUND', 'INVALID_CLICK_ID', 'INVALID_STATE'],
    async run({ service, caller: { accountId } }, { parameters: { id }, body }) {
      const { saleId } = await attributeByHand(service, accountId, id, body);
      return getSale(service, accountId, saleId);
    },
  }),
] as const;

/** Leads, sales, customers and parked payments. */
export const paymentRoutes = [...trackingRoutes, ...saleRoutes, ...customerRoutes, ...parkedRoutes] as const;
