import { answerList, csvAnswer, withCsv } from '../app/csv-list.ts';
import { Reply, route } from '../app/route.ts';
import { customerRoutes, parkedRoutes } from './customer-api.ts';
import { trackLead } from './lead.ts';
import { getSale, listSales } from './lists/list-sales.ts';
import { SALES_FILE } from './lists/sales-csv.ts';
import { reportRefund, reportRefundOfInvoice } from './report-refund.ts';
import { reportSale } from './report-sale.ts';
import { leadInput, trackedLeadSchema } from './resources/customer-schemas.ts';
import { parkedAnswerSchema } from './resources/parked-schemas.ts';
import {
  customerSaleInput,
  invoiceRefundInput,
  refundInput,
  reviewInput,
  saleDetailSchema,
  saleInput,
  saleListQuery,
  saleListSchema,
  trackedSaleSchema,
} from './resources/sale-schemas.ts';
import { reviewSale } from './review-sale.ts';
import { trackSale } from './sale.ts';

const TRACKING = 'Tracking';
const SALES = 'Sales';

/** Conversions that the caller's backend reports. */
const trackingRoutes = [
  route({
    operationId: 'trackLead',
    idempotent: true,
    scope: 'track',
    method: 'POST',
    path: '/api/track/lead',
    credential: 'api-key-only',
    tag: TRACKING,
    summary: 'Report a lead',
    description:
      'Binds the customer to the click permanently. A lead with the same customer and event name counts once: ' +
      'repeating it returns the stored lead. Payments parked for this customer become sales.',
    body: leadInput,
    answer: trackedLeadSchema,
    errors: ['INVALID_CLICK_ID'],
    unknownMembers: 'ignore',
    run: ({ service, caller }, { body }) => trackLead(service, caller.accountId, body),
  }),
  route({
    operationId: 'trackSale',
    idempotent: 'invoiceId',
    scope: 'track',
    method: 'POST',
    path: '/api/track/sale',
    credential: 'api-key-only',
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
    operationId: 'reportSale',
    idempotent: 'invoiceId',
    scope: 'track',
    method: 'POST',
    path: '/api/sales',
    credential: 'api-key-only',
    tag: SALES,
    summary: 'Report a sale of a known customer',
    description:
      "As `POST /api/track/sale`, without a click: the customer's lead decides which partner earns. " +
      'While the customer is unknown, the payment is parked; it becomes a sale when the lead arrives, as with a webhook.',
    body: customerSaleInput,
    answer: trackedSaleSchema,
    otherAnswers: [
      {
        status: 202,
        description: 'The payment is parked until its customer is known. Repeating it changes nothing.',
        schema: parkedAnswerSchema,
      },
    ],
    errors: ['DUPLICATE_INVOICE'],
    unknownMembers: 'ignore',
    async run({ service, caller }, { body }) {
      const reported = await reportSale(service, caller.accountId, body);
      return 'parkedPayment' in reported ? new Reply(202, reported) : reported;
    },
  }),
  route({
    operationId: 'listSales',
    method: 'GET',
    path: '/api/sales',
    credential: 'api-key',
    tag: SALES,
    summary: 'List sales',
    description: 'Newest first.',
    query: withCsv(saleListQuery),
    answer: saleListSchema,
    otherAnswers: [csvAnswer(saleListSchema)],
    run: ({ service, caller }, { query }) =>
      answerList(query, (page) => listSales(service, caller.accountId, page), SALES_FILE),
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
    idempotent: true,
    method: 'POST',
    path: '/api/sales/:id/refunds',
    credential: 'api-key',
    action: 'sale.refund',
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
    operationId: 'reportRefundOfInvoice',
    idempotent: true,
    scope: 'track',
    method: 'POST',
    path: '/api/refunds',
    credential: 'api-key',
    action: 'sale.refund',
    tag: SALES,
    summary: 'Report a refund by invoice',
    description:
      'As `POST /api/sales/:id/refunds`, for a sale that you know by its invoice id. While the payment is parked, the ' +
      'refund waits with it.',
    body: invoiceRefundInput,
    status: 201,
    answer: saleDetailSchema,
    otherAnswers: [
      { status: 200, description: 'This refund was already known; nothing changed.', schema: saleDetailSchema },
      { status: 202, description: 'The payment is parked; the refund waits with it.', schema: parkedAnswerSchema },
    ],
    errors: ['NOT_FOUND', 'CONFLICT', 'INVALID_STATE'],
    async run({ service, caller: { accountId } }, { body }) {
      const refunded = await reportRefundOfInvoice(service, accountId, body);
      if ('parkedPayment' in refunded) return new Reply(202, refunded);
      return new Reply(refunded.isNew ? 201 : 200, await getSale(service, accountId, refunded.saleId));
    },
  }),
  route({
    operationId: 'approveSale',
    method: 'POST',
    path: '/api/sales/:id/approve',
    credential: 'api-key',
    action: 'sale.approve',
    tag: SALES,
    summary: 'Approve a flagged sale',
    description: 'A sale that was flagged as a self-referral is then paid like any other.',
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
    action: 'sale.reject',
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

/** Leads, sales, customers and parked payments. */
export const paymentRoutes = [...trackingRoutes, ...saleRoutes, ...customerRoutes, ...parkedRoutes] as const;
