import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountChecks } from '../../../src/cli/doctor/account-checks.ts';
import type { DeliveryStatus } from '../../../src/core/delivery.ts';
import { createEndpoint } from '../../../src/deliveries/endpoints.ts';
import { createId } from '../../../src/ids.ts';
import { insertDelivery } from '../../../src/inbox/queries/deliveries.ts';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { engines } from '../../helpers/databases.ts';

const MINUTE_MS = 60_000;

describe.each(engines)('what doctor finds in an account (%s)', (engine) => {
  let app: TestApp;
  let endpointId: string;

  beforeAll(async () => {
    app = await createTestApp(engine);
    const body = { processor: 'stripe', secrets: ['whsec_example'] };
    endpointId = (await createEndpoint(app.service, app.accountId, body)).id;
  });
  afterAll(() => app.close());

  /** A delivery that failed for a reason of ours. */
  async function failedDelivery(status: DeliveryStatus, nextAttemptAt: number | null): Promise<void> {
    const id = createId('dlv');
    const delivery = {
      ...{ id, accountId: app.accountId, endpointId, processor: 'stripe', deliveryKey: id, eventType: 'invoice.paid' },
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

  it('is content without failures', async () => {
    expect(await deliveryChecks()).toEqual([expect.objectContaining({ status: 'ok', advice: null })]);
  });

  it('warns of a delivery that will be tried again', async () => {
    await failedDelivery('failed', Date.now() + 10 * MINUTE_MS);
    expect(await deliveryChecks()).toEqual([
      expect.objectContaining({ status: 'warning', message: expect.stringContaining('the failed one broke') }),
    ]);
  });

  it('finds one that nobody tried again in time', async () => {
    await failedDelivery('failed', Date.now() - 10 * MINUTE_MS);
    expect(await deliveryChecks()).toEqual([
      expect.objectContaining({ status: 'failed', message: expect.stringContaining('1 are overdue') }),
      expect.objectContaining({ status: 'warning', message: expect.stringContaining('1 failed') }),
    ]);
  });

  it('finds one that was given up, and says how it is retried', async () => {
    await failedDelivery('dead', null);
    expect(await deliveryChecks()).toContainEqual(
      expect.objectContaining({
        status: 'failed',
        message: expect.stringContaining('1 were given up, the newest because: the dead one broke'),
        advice: expect.stringContaining('refbridge deliveries retry'),
      }),
    );
  });
});
