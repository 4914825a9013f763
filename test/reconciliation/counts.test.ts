import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReconciliationDetail } from '../../src/client/api-types.ts';
import { ServiceError } from '../../src/errors.ts';
import { continueReconciliations } from '../../src/reconciliation/work.ts';
import { engines } from '../helpers/databases.ts';
import { unique } from '../helpers/story.ts';
import { checkoutCompleted } from '../helpers/stripe-payloads.ts';
import { createStage, type Stage, write } from './stage.ts';

describe.each(engines)('the counts of a reconciliation on %s', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
  });
  afterAll(() => stage.app.close());

  async function customer(): Promise<string> {
    const externalId = unique('user');
    await stage.referrer.lead(externalId);
    return externalId;
  }

  it('count what is listed on two pages, or twice on one, once', async () => {
    const { past } = stage;
    const sold = checkoutCompleted({ externalId: await customer(), amount: 8_900 });
    const parked = checkoutCompleted({ amount: 8_901 });
    const test = { ...checkoutCompleted({}), livemode: false };
    for (const dryRun of [true, false]) {
      write(past, sold, sold, parked, test, sold, parked);
      const { counts } = await stage.reconcile({ dryRun });
      expect(counts).toMatchObject({ read: 3, known: 0, ignored: 1, sales: 1, unattributed: 1 });
    }
  });

  it('add up while a page is read, and when the reading ends in the middle of it', async () => {
    const { past, app } = stage;
    write(past, ...[1, 2, 3].map(() => checkoutCompleted({})));
    const { id } = (await stage.begin()).body;
    past.before = async ({ cursor }) => {
      if (cursor === null) return;
      expect(addedUp(await stage.get(id))).toEqual([2, 2]);
      await app.call('POST', `/api/reconciliations/${id}/cancel`, { body: {} });
      throw new ServiceError('UNAVAILABLE', 'not now');
    };
    await continueReconciliations(app.service);
    expect(addedUp(await stage.get(id))).toEqual([2, 2]);
  });
});

function addedUp({ counts: { read, ...others } }: ReconciliationDetail): [read: number, added: number] {
  return [read, Object.values(others).reduce((sum, count) => sum + count, 0)];
}
