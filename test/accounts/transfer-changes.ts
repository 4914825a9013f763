import type { TestApp } from '../helpers/app.ts';
import { STRIPE_KEY, type StripeConnect } from '../helpers/stripe-connect.ts';
import type { Change } from './audited-changes.ts';

interface Creating {
  newPartner(): Promise<string>;
  /** A payout that is processing. */
  newPayout(): Promise<string>;
}

/** The changes of `changesOf` that are about Stripe. */
export function transferChangesOf(
  app: TestApp,
  stripe: StripeConnect,
  { newPartner, newPayout }: Creating,
): Record<string, Change> {
  const connection = { secretKey: STRIPE_KEY, apiUrl: stripe.url };
  const connect = (call: TestApp['call']) => call('PUT', '/api/rails/stripe/connection', { body: connection });
  const connectionId = async (): Promise<string> => {
    const sql = 'SELECT id FROM rail_connections WHERE account_id = @accountId';
    const { accountId } = app;
    return (await app.service.database.read((tx) => tx.get<{ id: string }>(sql, { accountId })))?.id ?? '';
  };
  return {
    connectRail: async (call) => {
      await connect(call);
      return connectionId();
    },
    disconnectRail: async (call) => {
      await connect(app.call);
      const id = await connectionId();
      await call('DELETE', '/api/rails/stripe/connection');
      return id;
    },
    createPayoutOnboardingLink: async (call) => {
      await connect(app.call);
      const id = await newPartner();
      await call('POST', `/api/partners/${id}/payout-onboarding`, { body: { rail: 'stripe', country: 'DE' } });
      return id;
    },
    sendPayout: async (call) => {
      await connect(app.call);
      const id = await newPayout();
      const { partnerId } = (await app.call('GET', `/api/payouts/${id}`)).body;
      const body = { rail: 'stripe', account: stripe.platform.addAccount().id };
      await app.call('PUT', `/api/partners/${partnerId}/payout-details`, { body });
      const sent = await call('POST', `/api/payouts/${id}/send`);
      // ends what would refuse to disconnect
      const end = `UPDATE payout_transfers SET status = 'failed', due_at = NULL WHERE payout_id = @id`;
      await app.service.database.write((tx) => tx.run(end, { id }));
      return sent;
    },
  };
}
