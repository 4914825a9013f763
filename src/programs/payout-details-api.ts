import { route } from '../app/route.ts';
import { setPayoutDetails } from './payout-details.ts';
import { payoutDetailsInput } from './payout-details-schemas.ts';
import { partnerSchema } from './schemas.ts';

/** How partners are paid. */
export const payoutDetailsRoutes = [
  route({
    operationId: 'setPayoutDetails',
    method: 'PUT',
    path: '/api/partners/:id/payout-details',
    credential: 'api-key',
    action: 'partner.set_payout_details',
    tag: 'Partners',
    summary: 'Set how a partner is paid',
    description: 'Replaces what was set before. The details are stored encrypted and returned masked.',
    body: payoutDetailsInput,
    answer: partnerSchema,
    errors: ['NOT_FOUND'],
    cacheControl: 'no-store',
    run: ({ service, caller }, { parameters, body }) =>
      setPayoutDetails(service, caller.accountId, parameters.id, body),
  }),
] as const;
