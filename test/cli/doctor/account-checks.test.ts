import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountChecks } from '../../../src/cli/doctor/account-checks.ts';
import type { DeliveryStatus } from '../../../src/core/delivery.ts';
import type { EndpointId } from '../../../src/core/ids.ts';
import { parseEndpoint } from '../../../src/deliveries/endpoint-fields.ts';
import { createEndpoint } from '../../../src/deliveries/endpoints.ts';
import { createId } from '../../../src/ids.ts';
import { insertDelivery } from '../../../src/inbox/queries/deliveries.ts';
import { markFailed } from '../../../src/payments/queries/parked-hints.ts';
import { createSealer } from '../../../src/process/sealer.ts';
import { deleteAccount } from '../../../src/removal/delete-account.ts';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { engines } from '../../helpers/databases.ts';
import { applyFacts, hints, received } from '../../helpers/facts.ts';
import { asId } from '../../helpers/ids.ts';
import { createTestService } from '../../helpers/service.ts';
import { createReferrer } from '../../helpers/story.ts';

const MINUTE_MS = 60_000;
const OTHER_KEY = Buffer.alloc(32, 9);

describe.each(engines)('what doctor finds in an account (%s)', (engine) => {
  let app: TestApp;
  let endpointId: EndpointId;

  beforeAll(async () => {
    app = await createTestApp(engine);
    const body = { processor: 'stripe' as const, secrets: ['whsec_example'] };
    endpointId = asId((await createEndpoint(app.service, app.accountId, parseEndpoint(body))).id);
  });
  afterAll(() => app.close());

  /** A delivery that failed because of our own error. */
  async function failedDelivery(status: DeliveryStatus, nextAttemptAt: number | null): Promise<void> {
    const id = createId('dlv');
    const delivery = {
      ...{
        id,
        accountId: app.accountId,
        endpointId,
        processor: 'stripe' as const,
        deliveryKey: id,
        eventType: 'invoice.paid',
      },
      ...{
        status,
        outcome: 'failed' as const,
        reason: `the ${status} one broke`,
        saleId: null,
        attempts: 3,
        nextAttemptAt,
      },
      ...{ receivedAt: Date.now(), headers: '{}', body: Buffer.from('{}') },
    };
    await app.service.database.write((tx) => insertDelivery(tx, delivery));
  }

  async function deliveryChecks() {
    return (await accountChecks(app.service)).filter(({ check }) => check === 'deliveries');
  }

  it('warns of deliveries that were refused, and says what to do', async () => {
    const endpoint = async () => (await accountChecks(app.service)).find(({ check }) => check.includes(endpointId));
    expect(await endpoint()).toMatchObject({ status: 'warning', message: 'stripe has delivered nothing yet' });
    const address = `${app.url}/webhooks/stripe/${endpointId}`;
    expect((await fetch(address, { method: 'POST', body: '{}' })).status).toBe(401);
    await expect.poll(async () => (await endpoint())?.message).toContain('The Stripe-Signature header is missing');
    expect(await endpoint()).toMatchObject({ status: 'warning', advice: expect.stringContaining('Stripe-Signature') });
    const today = new Date().toISOString().slice(0, 10);
    expect((await endpoint())?.advice).toContain(` reconcile ${endpointId} --since ${today}\``);
  });

  it('reports nothing without failures', async () => {
    expect(await deliveryChecks()).toEqual([expect.objectContaining({ status: 'ok', advice: null })]);
  });

  it('warns of a delivery that will be retried', async () => {
    await failedDelivery('failed', Date.now() + 10 * MINUTE_MS);
    expect(await deliveryChecks()).toEqual([
      expect.objectContaining({ status: 'warning', message: expect.stringContaining('the failed one broke') }),
    ]);
  });

  it('finds a delivery whose retry is overdue', async () => {
    await failedDelivery('failed', Date.now() - 10 * MINUTE_MS);
    expect(await deliveryChecks()).toEqual([
      expect.objectContaining({ status: 'failed', message: expect.stringContaining('1 overdue') }),
      expect.objectContaining({ status: 'warning', message: expect.stringContaining('1 failed') }),
    ]);
  });

  it('finds a dead delivery, and says how to retry it', async () => {
    await failedDelivery('dead', null);
    expect(await deliveryChecks()).toContainEqual(
      expect.objectContaining({
        status: 'failed',
        message: expect.stringContaining('1 given up; reason of the newest: the dead one broke'),
        advice: expect.stringContaining('npm run refbridge -- deliveries retry'),
      }),
    );
  });

  it('names the account in its commands once there are several', async () => {
    const advice = async () => (await deliveryChecks()).map((check) => check.advice).join();
    expect(await advice()).not.toContain('--account');
    const { accountId } = await app.addAccount('Second Ltd');
    expect(await advice()).toContain(`deliveries list --status dead --account ${app.accountId}`);
    expect(await accountChecks(app.service)).toContainEqual(
      expect.objectContaining({
        message: 'Second Ltd has none',
        advice: expect.stringContaining(`endpoints create --account ${accountId}`),
      }),
    );
    await deleteAccount(app.service, accountId, { cachesMs: 0 });
  });

  it('names a parked payment that failed to become a sale, until somebody attributes it', async () => {
    const { service, accountId } = app;
    const parkedChecks = async () => (await accountChecks(service)).filter(({ check }) => check === 'parked payments');
    await applyFacts(service, asId(accountId), received(['in_1'], hints({ externalId: 'mia' })));
    const { id } = (await app.call('GET', '/api/parked-payments')).body.data[0];
    expect(await parkedChecks()).toEqual([]);
    await service.database.write((tx) => markFailed(tx, asId(accountId), id));
    const advice = expect.stringContaining(`parked attribute ${id} --customer`);
    expect(await parkedChecks()).toEqual([
      { check: 'parked payments', status: 'failed', message: expect.stringContaining(id), advice },
    ]);
    const { partnerId } = await createReferrer(app);
    const path = `/api/parked-payments/${id}/attribute`;
    expect((await app.call('POST', path, { body: { partnerId } })).status).toBe(200);
    expect(await parkedChecks()).toEqual([]);
  });

  describe('about the endpoints that events are sent to', () => {
    let eventEndpointId: string;
    const URL_OF_RECEIVER = 'https://hooks.example.com/refbridge';
    const path = () => `/api/event-endpoints/${eventEndpointId}`;
    beforeAll(async () => {
      const body = { url: URL_OF_RECEIVER, types: ['sale.created'] };
      eventEndpointId = (await app.call('POST', '/api/event-endpoints', { body })).body.id;
    });
    /** The checks with the key that seals secrets now, or with another one. */
    async function eventChecks(key?: Buffer) {
      const other = key && createTestService({ database: app.service.database, sealer: createSealer(key) });
      return (await accountChecks(other ?? app.service)).filter(({ check }) => check.startsWith('event endpoint'));
    }

    it('says nothing bad about those that work', async () => {
      expect(await eventChecks()).toEqual([expect.objectContaining({ status: 'ok', check: 'event endpoints' })]);
    });

    it('names those whose secrets another SECRET_KEY encrypted, until they get new ones', async () => {
      const named = {
        check: `event endpoint ${eventEndpointId}`,
        status: 'failed',
        message: `${URL_OF_RECEIVER} gets no events: its secrets cannot be decrypted with this SECRET_KEY`,
        advice: expect.stringMatching(`SECRET_KEY.*events endpoints rotate ${eventEndpointId}`),
      };
      expect(await eventChecks(OTHER_KEY)).toEqual([named]);
      expect(await eventChecks()).toEqual([expect.objectContaining({ status: 'ok' })]);
    });

    it('calls those that were disabled so, also when their secrets cannot be decrypted', async () => {
      await app.call('PATCH', path(), { body: { enabled: false } });
      const disabled = expect.objectContaining({
        status: 'failed',
        message: `${URL_OF_RECEIVER} is disabled: disabled by hand`,
      });
      expect(await eventChecks()).toEqual([disabled]);
      const unreadable = expect.objectContaining({ message: expect.stringContaining('cannot be decrypted') });
      expect(await eventChecks(OTHER_KEY)).toEqual([disabled, unreadable]);
      // as an import without the source's key leaves it
      const sql = 'UPDATE event_endpoints SET sealed_secrets = NULL WHERE id = @eventEndpointId';
      await app.service.database.write((tx) => tx.run(sql, { eventEndpointId }));
      const leftOut = {
        message: expect.stringContaining('an import left'),
        advice: expect.not.stringContaining('KEY'),
      };
      expect(await eventChecks()).toEqual([disabled, expect.objectContaining(leftOut)]);
      await app.call('DELETE', path());
      expect(await eventChecks(OTHER_KEY)).toEqual([]);
    });
  });

  it('warns that no page may embed the portal', async () => {
    const portalChecks = async () => (await accountChecks(app.service)).filter(({ check }) => check === 'portal');
    expect(await portalChecks()).toEqual([
      expect.objectContaining({
        status: 'warning',
        message: expect.stringContaining(app.programId),
        advice: expect.stringContaining(`programs update ${app.programId} --portal '{"allowedOrigins":`),
      }),
    ]);
    const body = { portal: { allowedOrigins: ['https://app.example.com'] } };
    await app.call('PATCH', `/api/programs/${app.programId}`, { body });
    expect(await portalChecks()).toEqual([expect.objectContaining({ status: 'ok' })]);
  });
});
