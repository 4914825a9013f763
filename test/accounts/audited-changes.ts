import type { Answer, TestApp } from '../helpers/app.ts';
import { createOperator, freshAddress, type SignedIn } from '../helpers/operators.ts';
import { createEndpoint, createReferrer, unique } from '../helpers/story.ts';
import type { StripeConnect } from '../helpers/stripe-connect.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';
import { archivingOf } from './archiving-changes.ts';
import { transferChangesOf } from './transfer-changes.ts';

/** Makes one change; returns the id of the resource, or an answer that has it. */
export type Change = (call: SignedIn['call']) => Promise<Answer | string>;

const NO_FILE_YET = { source: 'csv', settings: { kind: 'partners', fileBytes: 10 } };
const SINCE = { since: '2026-01-01' };
const EVENT_ENDPOINT = { url: 'https://example.com/events' };

export const newPartnerBody = () => ({ name: 'Paula', email: `${unique('partner')}@example.com` });

/**
 * One change for each route that names its action, by `operationId`. The app needs `trustProxy: 1`, and a program that
 * has no hold and flags self-referrals.
 */
export function changesOf(app: TestApp, owner: SignedIn, stripe: StripeConnect): Record<string, Change> {
  const newPartner = async () =>
    (await app.call('POST', '/api/partners', { body: newPartnerBody() })).body.id as string;
  const newLink = async () => {
    const body = { partnerId: await newPartner(), url: 'https://shop.example.com/' };
    return (await app.call('POST', '/api/links', { body })).body.id as string;
  };
  const newProgram = async () =>
    (await app.call('POST', '/api/programs', { body: { name: unique('program') } })).body.id as string;
  const newKey = async () => (await app.call('POST', '/api/api-keys', { body: { name: 'Key' } })).body.id as string;
  const newEventEndpoint = async () =>
    (await app.call('POST', '/api/event-endpoints', { body: EVENT_ENDPOINT })).body.id as string;
  const newReadable = async () => (await createEndpoint(app, 'stripe', { accessToken: 'rk_live_example' })).id;
  let endpointId = '';
  const newSale = async (isOwn = false): Promise<string> => {
    const email = `${unique('buyer')}@example.com`;
    const referrer = await createReferrer(app, isOwn ? { email } : {});
    const customerExternalId = unique('user');
    const clickId = await referrer.lead(customerExternalId, { customerEmail: email });
    const body = { clickId, customerExternalId, amount: 5000, currency: 'usd', invoiceId: unique('in') };
    return (await app.call('POST', '/api/track/sale', { body })).body.sale.id;
  };
  const newPayout = async (): Promise<string> => {
    await newSale();
    return (await app.call('POST', '/api/payouts/run', { body: {} })).body.data[0].id;
  };
  const newPayable = async (): Promise<string> => {
    const id = await newPayout();
    const { partnerId } = (await app.call('GET', `/api/payouts/${id}`)).body;
    const body = { rail: 'paypal', email: 'ana@example.com' };
    await app.call('PUT', `/api/partners/${partnerId}/payout-details`, { body });
    return id;
  };
  const newFile = async (): Promise<string> => {
    const body = { rail: 'paypal', payoutIds: [await newPayable()] };
    return (await app.call('POST', '/api/payouts/files', { body })).body.id;
  };
  const payload = async () => {
    const stripe = await createEndpoint(app, 'stripe');
    const answer = await stripe.deliver(checkoutCompleted({}));
    if (answer.body.outcome !== 'unattributed') throw new Error(answer.text);
  };
  const firstOf = async (path: string) => (await app.call('GET', path)).body.data[0].id as string;
  const on = (
    method: string,
    path: string,
    id: () => Promise<string>,
    body?: () => object | Promise<object>,
  ): Change => {
    return async (call) => {
      const resourceId = await id();
      const options = { headers: freshAddress(), ...(body && { body: await body() }) };
      const answer = await call(method, path.replace(':id', resourceId), options);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
      return resourceId;
    };
  };

  return {
    createProgram: (call) => call('POST', '/api/programs', { body: { name: 'New' } }),
    updateProgram: on(
      'PATCH',
      '/api/programs/:id',
      async () => app.programId,
      () => ({ description: unique('d') }),
    ),
    createPartner: (call) => call('POST', '/api/partners', { body: newPartnerBody() }),
    updatePartner: on('PATCH', '/api/partners/:id', newPartner, () => ({ name: 'Renamed' })),
    createEmbedToken: async (call) => {
      const { email } = newPartnerBody();
      await call('POST', '/api/embed/token', { body: { partner: { email }, programId: app.programId } });
      return firstOf('/api/partners');
    },
    setPayoutDetails: on('PUT', '/api/partners/:id/payout-details', newPartner, () => {
      return { rail: 'paypal', email: 'ana@example.com' };
    }),
    createPortalLink: on('POST', '/api/partners/:id/portal-link', newPartner),
    endPortalAccess: on('DELETE', '/api/partners/:id/portal-access', newPartner),
    createApiKey: (call) => call('POST', '/api/api-keys', { body: { name: 'New' } }),
    revokeApiKey: on('DELETE', '/api/api-keys/:id', newKey),
    createLink: async (call) =>
      call('POST', '/api/links', { body: { partnerId: await newPartner(), url: 'https://shop.example.com/' } }),
    updateLink: on('PATCH', '/api/links/:id', newLink, () => ({ url: 'https://shop.example.com/new' })),
    ...archivingOf(on, { Link: newLink, Partner: newPartner, Program: newProgram }, app),
    ...transferChangesOf(app, stripe, { newPartner, newPayout }),
    eraseCustomer: on('DELETE', '/api/customers/:id/personal-data', async () => {
      const customer = unique('user');
      await (await createReferrer(app)).lead(customer);
      return customer;
    }),
    erasePartner: on('DELETE', '/api/partners/:id/personal-data', newPartner),
    createWebhookEndpoint: (call) => call('POST', '/api/webhook-endpoints', { body: { processor: 'stripe' } }),
    updateWebhookEndpoint: on(
      'PATCH',
      '/api/webhook-endpoints/:id',
      async () => (await createEndpoint(app, 'stripe')).id,
      () => ({ secrets: ['whsec_rotated_secret_123'] }),
    ),
    deleteWebhookEndpoint: on(
      'DELETE',
      '/api/webhook-endpoints/:id',
      async () => (await createEndpoint(app, 'stripe')).id,
    ),
    reconcileWebhookEndpoint: on('POST', '/api/webhook-endpoints/:id/reconcile', newReadable, () => SINCE),
    cancelReconciliation: on('POST', '/api/reconciliations/:id/cancel', async () => {
      const path = `/api/webhook-endpoints/${await newReadable()}/reconcile`;
      return (await app.call('POST', path, { body: SINCE })).body.id;
    }),
    // one import at a time, and no erasure during it
    createImport: async (call) => {
      const created = await call('POST', '/api/imports', { body: NO_FILE_YET });
      await app.call('POST', `/api/imports/${created.body.id}/cancel`, { body: {} });
      return created;
    },
    cancelImport: on('POST', '/api/imports/:id/cancel', async () => {
      return (await app.call('POST', '/api/imports', { body: NO_FILE_YET })).body.id;
    }),
    createExport: (call) => call('POST', '/api/exports', { body: {} }),
    downloadExport: async (call) => {
      const { id } = (await app.call('POST', '/api/exports', { body: {} })).body;
      await call('GET', `/api/exports/${id}/download`);
      return id;
    },
    createEventEndpoint: (call) => call('POST', '/api/event-endpoints', { body: EVENT_ENDPOINT }),
    updateEventEndpoint: on('PATCH', '/api/event-endpoints/:id', newEventEndpoint, () => ({ enabled: false })),
    rotateEventEndpointSecret: on('POST', '/api/event-endpoints/:id/rotate', newEventEndpoint),
    testEventEndpoint: on('POST', '/api/event-endpoints/:id/test', newEventEndpoint),
    resendEvents: on('POST', '/api/event-endpoints/:id/resend', newEventEndpoint, () => ({ since: '2026-01-01' })),
    deleteEventEndpoint: on('DELETE', '/api/event-endpoints/:id', newEventEndpoint),
    resendEvent: on(
      'POST',
      '/api/events/:id/resend',
      async () => {
        endpointId = await newEventEndpoint();
        return (await app.call('POST', `/api/event-endpoints/${endpointId}/test`)).body.id;
      },
      () => ({ endpointId }),
    ),
    createEventListener: (call) => call('POST', '/api/event-listeners'),
    deleteEventListener: on('DELETE', '/api/event-listeners/:id', async () => {
      return (await app.call('POST', '/api/event-listeners')).body.id;
    }),
    retryDelivery: on('POST', '/api/deliveries/:id/retry', async () => {
      await payload();
      return firstOf('/api/deliveries');
    }),
    attributeParkedPayment: on(
      'POST',
      '/api/parked-payments/:id/attribute',
      async () => {
        await payload();
        return firstOf('/api/parked-payments');
      },
      async () => ({ partnerId: await newPartner() }),
    ),
    createAdjustment: async (call) => {
      const body = { partnerId: await newPartner(), amount: 500, currency: 'usd', reason: 'A gift' };
      return call('POST', '/api/adjustments', { body });
    },
    runPayouts: async (call) => {
      await newSale();
      const { body } = await call('POST', '/api/payouts/run', { body: {} });
      return body.data[0].id;
    },
    createPayoutFile: async (call) =>
      call('POST', '/api/payouts/files', { body: { rail: 'paypal', payoutIds: [await newPayable()] } }),
    getPayoutFile: on('GET', '/api/payouts/files/:id', newFile),
    cancelPayoutFile: on('POST', '/api/payouts/files/:id/cancel', newFile, () => ({})),
    recordFileResults: async (call) => {
      const id = await newPayable();
      const { body } = await app.call('POST', '/api/payouts/files', { body: { rail: 'paypal', payoutIds: [id] } });
      const results = [{ id, status: 'paid' }];
      await call('POST', `/api/payouts/files/${body.id}/results`, { body: { results } });
      return id;
    },
    recordPayoutResults: async (call) => {
      const id = await newPayable();
      await call('POST', '/api/payouts/results', { body: { results: [{ id, status: 'paid' }] } });
      return id;
    },
    markPayoutPaid: on('POST', '/api/payouts/:id/paid', newPayout, () => ({})),
    markPayoutFailed: on('POST', '/api/payouts/:id/failed', newPayout, () => ({ note: 'No such account' })),
    cancelPayout: on('POST', '/api/payouts/:id/cancel', newPayout, () => ({})),
    reportRefund: on('POST', '/api/sales/:id/refunds', newSale, () => ({ refundId: unique('re'), amount: 100 })),
    reportRefundOfInvoice: async (call) => {
      const id = await newSale();
      const { invoiceId } = (await app.call('GET', `/api/sales/${id}`)).body;
      return call('POST', '/api/refunds', { body: { invoiceId, refundId: unique('re'), amount: 100 } });
    },
    approveSale: on('POST', '/api/sales/:id/approve', () => newSale(true)),
    rejectSale: on(
      'POST',
      '/api/sales/:id/reject',
      () => newSale(true),
      () => ({ reason: 'Their own' }),
    ),
    inviteOperator: async (call) => {
      const answer = await call('POST', '/api/operators', { body: { name: 'New', email: newPartnerBody().email } });
      return answer.body.operator.id;
    },
    updateOperator: on(
      'PATCH',
      '/api/operators/:id',
      async () => (await createOperator(app)).id,
      () => ({ role: 'member' }),
    ),
    removeOperator: on('DELETE', '/api/operators/:id', async () => (await createOperator(app)).id),
    createSignInUrl: on('POST', '/api/operators/:id/sign-in-url', async () => (await createOperator(app)).id),
    updateSelf: on(
      'PATCH',
      '/api/session',
      async () => owner.id,
      () => ({ password: 'a new password' }),
    ),
    endSession: on('DELETE', '/api/sessions/:id', async () => {
      const { call } = await createOperator(app, 'viewer');
      return (await call('GET', '/api/sessions')).body.data[0].id;
    }),
    signOut: async () => {
      const { call } = await createOperator(app, 'viewer');
      const sessionId = (await call('GET', '/api/sessions')).body.data[0].id;
      await call('DELETE', '/api/session');
      return sessionId;
    },
  };
}
