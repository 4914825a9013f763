import { route } from '../../app/route.ts';
import { payoutInFullSchema } from '../schemas.ts';
import { afterOnboardingPage } from './after-onboarding.ts';
import { connectRail, disconnectRail, listRails } from './connections.ts';
import { createOnboardingLink, getOnboarding, ONBOARDED_PATH } from './onboarding.ts';
import {
  onboardingInput,
  onboardingLinkSchema,
  onboardingSchema,
  railConnectionInput,
  railListSchema,
  railSchema,
} from './schemas.ts';
import { sendPayout } from './send.ts';

const TAG = 'Payouts';

/** Payouts that are sent by a provider's API. */
export const transferRoutes = [
  route({
    operationId: 'sendPayout',
    method: 'POST',
    path: '/api/payouts/:id/send',
    credential: 'api-key',
    action: 'payout.send',
    tag: TAG,
    summary: 'Send a payout',
    description:
      "By a transfer to the partner's account at the provider; only for a payout that is processing and in no file. The " +
      'server orders it within a second and repeats the order until it is known what became of it: the payout is then ' +
      '`paid`, `failed`, or `held` for a person to decide. A payout is sent once: to repeat the request changes ' +
      'nothing. For one that is held, the payment is looked for again.',
    status: 202,
    answer: payoutInFullSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'CONFLICT'],
    run: ({ service, caller }, { parameters: { id } }) => sendPayout(service, caller, id),
  }),
  route({
    operationId: 'listRails',
    method: 'GET',
    path: '/api/rails',
    credential: 'api-key',
    tag: TAG,
    summary: 'List the ways to pay partners',
    description: 'With what each that sends payouts is connected.',
    answer: railListSchema,
    run: ({ service, caller }) => listRails(service, caller.accountId),
  }),
  route({
    operationId: 'connectRail',
    method: 'PUT',
    path: '/api/rails/:rail/connection',
    credential: 'api-key',
    action: 'rail.connect',
    tag: TAG,
    summary: 'Connect a provider that sends payouts',
    description:
      'The provider is asked whose key it is. The key is stored encrypted and never returned; one of the same account ' +
      'may replace it at any time.',
    body: railConnectionInput,
    answer: railSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    cacheControl: 'no-store',
    run: ({ service, caller }, { parameters: { rail }, body }) => connectRail(service, caller, rail, body),
  }),
  route({
    operationId: 'disconnectRail',
    method: 'DELETE',
    path: '/api/rails/:rail/connection',
    credential: 'api-key',
    action: 'rail.disconnect',
    tag: TAG,
    summary: 'Disconnect a provider that sends payouts',
    description: 'Its key is deleted. Not while payouts are being sent.',
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    async run({ service, caller }, { parameters: { rail } }) {
      await disconnectRail(service, caller.accountId, rail);
      return undefined;
    },
  }),
  route({
    operationId: 'createPayoutOnboardingLink',
    method: 'POST',
    path: '/api/partners/:id/payout-onboarding',
    credential: 'api-key',
    action: 'partner.set_payout_details',
    tag: 'Partners',
    summary: 'Create a link with which a partner signs up at the provider',
    description:
      "Opens an account for the partner there, unless there is one, and stores it as the partner's payout details. The link " +
      'works once, and for minutes: give it to the partner at once, or let the portal create it.',
    body: onboardingInput,
    answer: onboardingLinkSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'CONFLICT'],
    cacheControl: 'no-store',
    run: ({ service, caller }, { parameters, body }) =>
      createOnboardingLink(service, caller.accountId, parameters.id, body),
  }),
  route({
    operationId: 'getPayoutOnboarding',
    method: 'GET',
    path: '/api/partners/:id/payout-onboarding',
    credential: 'api-key',
    tag: 'Partners',
    summary: 'Ask the provider whether it would pay a partner now',
    answer: onboardingSchema,
    errors: ['NOT_FOUND', 'INVALID_STATE'],
    run: ({ service, caller }, { parameters }) => getOnboarding(service, caller.accountId, parameters.id),
  }),
  route({
    operationId: 'getOnboardingPage',
    method: 'GET',
    path: ONBOARDED_PATH,
    credential: 'public',
    tag: 'Browser',
    summary: 'Read how to continue after the pages of a provider',
    description:
      'The provider sends partners here when they have finished or stopped, and with `?expired=1` when their link had ' +
      'expired or was used.',
    otherAnswers: [{ status: 200, description: 'A page for browsers.', contentTypes: ['text/html'] }],
    unknownMembers: 'ignore',
    run: async ({ request }) => afterOnboardingPage(request),
  }),
] as const;
