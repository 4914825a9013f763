import { route } from '../app/route.ts';
import { discloseCustomer, eraseCustomer } from './customers.ts';
import { disclosePartner, erasePartner } from './partners.ts';
import { customerDataSchema, partnerDataSchema } from './schemas.ts';

const TAG = 'Personal data';
const OR_ELSE =
  'A guest has no external id: give the `id` of the customer. Somebody who only paid and is no customer is named by e-mail ' +
  'address; 409 for the address of customers.';

/** What is stored about a person, and how to erase it. */
export const privacyRoutes = [
  route({
    operationId: 'getCustomerPersonalData',
    method: 'GET',
    path: '/api/customers/:externalId/personal-data',
    credential: 'api-key',
    tag: TAG,
    summary: 'Get everything that is stored about a customer',
    description:
      'For a request under the GDPR or a similar law. Ids, amounts and ledger entries are in the other resources. ' +
      OR_ELSE,
    answer: customerDataSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters }) => discloseCustomer(service, caller.accountId, parameters.externalId),
  }),
  route({
    operationId: 'eraseCustomer',
    method: 'DELETE',
    path: '/api/customers/:externalId/personal-data',
    credential: 'api-key',
    role: 'owner',
    action: 'customer.erase',
    tag: TAG,
    summary: 'Erase what identifies a customer',
    description:
      'E-mail address, name, avatar, metadata, and the stored webhooks about their payments, at once; other stored ' +
      'webhooks that mention them, within minutes. Ids, amounts and commissions stay. Later reports under the same id ' +
      'are attributed, but what they say about the person is not stored. Refused while an import that ' +
      `may name them is under way. ${OR_ELSE}`,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async run({ service, caller }, { parameters }) {
      await eraseCustomer(service, caller.accountId, parameters.externalId);
      return undefined;
    },
  }),
  route({
    operationId: 'getPartnerPersonalData',
    method: 'GET',
    path: '/api/partners/:id/personal-data',
    credential: 'api-key',
    tag: TAG,
    summary: 'Get everything that is stored about a partner as a person',
    answer: partnerDataSchema,
    errors: ['NOT_FOUND'],
    run: ({ service, caller }, { parameters }) => disclosePartner(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'erasePartner',
    method: 'DELETE',
    path: '/api/partners/:id/personal-data',
    credential: 'api-key',
    role: 'owner',
    action: 'partner.erase',
    tag: TAG,
    summary: 'Erase what identifies a partner',
    description:
      'Name, e-mail address and payment details, once the balance is zero in every currency, and nothing is due or on ' +
      'its way. Access to their portal ends. Links, discount codes and what was earned stay. Also erases a deleted partner ' +
      'from the audit log and from events.',
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async run({ service, caller }, { parameters }) {
      await erasePartner(service, caller.accountId, parameters.id);
      return undefined;
    },
  }),
] as const;
