import { route } from '../app/route.ts';
import { getCustomer, listCustomers } from './lists/list-customers.ts';
import { listLeads } from './lists/list-leads.ts';
import { getSale } from './lists/list-sales.ts';
import { attributeByHand, getParkedPayment, listParkedPayments } from './parked-payments.ts';
import {
  customerListQuery,
  customerListSchema,
  customerSchema,
  leadListQuery,
  leadListSchema,
} from './resources/customer-schemas.ts';
import { attributeInput, parkedListQuery, parkedListSchema, parkedSchema } from './resources/parked-schemas.ts';
import { saleDetailSchema } from './resources/sale-schemas.ts';

const CUSTOMERS = 'Customers';
const PARKED = 'Parked payments';

/** Customers and their leads. */
export const customerRoutes = [
  route({
    operationId: 'listCustomers',
    method: 'GET',
    path: '/api/customers',
    credential: 'api-key',
    tag: CUSTOMERS,
    summary: 'List customers',
    description: 'Newest first. A search matches the beginning of an external id or of an e-mail address.',
    query: customerListQuery,
    answer: customerListSchema,
    run: ({ service, caller }, { query }) => listCustomers(service, caller.accountId, query),
  }),
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
    description: 'Newest first.',
    query: leadListQuery,
    answer: leadListSchema,
    run: ({ service, caller }, { query }) => listLeads(service, caller.accountId, query),
  }),
] as const;

/** Payments that wait for their customer. */
export const parkedRoutes = [
  route({
    operationId: 'listParkedPayments',
    method: 'GET',
    path: '/api/parked-payments',
    credential: 'api-key',
    tag: PARKED,
    summary: 'List payments that no partner has earned yet',
    description: 'Newest first, each with the attribution steps that were tried.',
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
    action: 'parked_payment.attribute',
    tag: PARKED,
    summary: 'Attribute a parked payment by hand',
    description: 'To a customer, to the partner of a click, or to a partner. Answers with the sale.',
    body: attributeInput,
    answer: saleDetailSchema,
    errors: ['NOT_FOUND', 'INVALID_CLICK_ID', 'INVALID_STATE', 'DUPLICATE_INVOICE'],
    async run({ service, caller: { accountId } }, { parameters: { id }, body }) {
      const { saleId } = await attributeByHand(service, accountId, id, body);
      return getSale(service, accountId, saleId);
    },
  }),
] as const;
