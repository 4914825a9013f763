import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AccountId } from '../../../src/core/ids.ts';
import { listPayouts } from '../../../src/payouts/list.ts';
import { engines } from '../../helpers/databases.ts';
import { observeQueries } from '../../helpers/observe-queries.ts';
import { createStage, type Sendable, type Stage } from './stage.ts';

const EVERY = {
  limit: 50,
  cursor: '',
  from: null,
  to: null,
  partnerId: null,
  tenantId: null,
  programId: null,
  currency: null,
  status: null,
};

describe.each(engines)('the list of payouts, on %s', (engine) => {
  let stage: Stage;
  const payouts: Sendable[] = [];
  beforeAll(async () => {
    stage = await createStage(engine);
    await stage.connect();
    while (payouts.length < 3) payouts.push(await stage.payout());
  });
  afterAll(() => stage.close());

  /** How many queries the list takes. */
  async function queryCount(): Promise<number> {
    let count = 0;
    const observed = observeQueries(stage.app.service, () => {
      count += 1;
    });
    await listPayouts(observed, stage.app.accountId as AccountId, EVERY);
    return count;
  }

  it('says of each how it is sent, as the payout itself does, with one query for all of them', async () => {
    const before = await queryCount();
    const [paid, sending, waiting] = payouts.map(({ id }) => id) as [string, string, string];
    await stage.send(paid);
    await stage.work();
    await stage.send(sending);
    const { data } = (await stage.app.call('GET', '/api/payouts')).body;
    const listed = (id: string) => data.find((payout: { id: string }) => payout.id === id);
    for (const [id, status] of [
      [paid, 'sent'],
      [sending, 'sending'],
    ] as const) {
      const { fileId, ...payout } = await stage.get(id);
      expect([listed(id), fileId]).toEqual([payout, null]);
      expect(payout.transfer.status).toBe(status);
    }
    expect(listed(waiting).transfer).toBeNull();
    expect(await queryCount()).toBe(before);
    const { text } = await stage.app.call('GET', '/api/payouts?format=csv');
    const rows = text.split('\r\n').map((line) => line.split(','));
    const column = rows[0]?.indexOf('transfer_status') ?? -1;
    const statusOf = (id: string) => rows.find(([first]) => first === id)?.[column];
    expect([paid, sending, waiting].map(statusOf)).toEqual(['sent', 'sending', '']);
    await stage.work();
  });
});
