import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/app/service.ts';
import { EVENT_TYPES } from '../../src/core/event.ts';
import type { TransferStatus } from '../../src/core/payout.ts';
import { exportAccount } from '../../src/exchange/export-account.ts';
import { importAccount } from '../../src/exchange/import-account.ts';
import { listPayouts } from '../../src/payouts/list.ts';
import { payoutListQuery } from '../../src/payouts/schemas.ts';
import { settlePayout } from '../../src/payouts/states.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createTestDatabase, engines } from '../helpers/databases.ts';
import { payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { addTransfer, hold, transferOf } from '../helpers/held-payouts.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { createTestService } from '../helpers/service.ts';
import { createReferrer } from '../helpers/story.ts';

const MOVED = expect.stringContaining('moved here while the transfer was under way');

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'refbridge-moved-transfers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(engines)('the transfers of an account that moves, from %s', (engine) => {
  let app: TestApp;
  const ids = {} as Record<TransferStatus, string>;
  beforeAll(async () => {
    app = await createTestApp(engine);
    const hooks = { url: 'https://example.com/events', types: [...EVENT_TYPES] };
    expect((await app.call('POST', '/api/event-endpoints', { body: hooks })).status).toBe(201);
    for (const status of ['sending', 'held', 'sent', 'failed'] as const) {
      ids[status] = await newPayout();
      await addTransfer(app.service.database, ids[status], status);
    }
    await hold(app.service, app.accountId, ids.held, 'as before');
    await app.call('POST', `/api/payouts/${ids.sent}/paid`);
    await app.call('POST', `/api/payouts/${ids.failed}/failed`);
    await exportAccount(app.service, app.accountId, { folder: join(folder, engine), programVersion: '1.2.3' });
  });
  afterAll(() => app.close());

  async function newPayout(): Promise<string> {
    const referrer = await createReferrer(app);
    await sell(app, referrer);
    await runPayouts(app, { at: '2099-12-31' });
    return (await payoutsOf(app, referrer.partnerId, 'processing'))[0].id;
  }

  async function moveTo(target: (typeof engines)[number], check: (service: Service) => Promise<void>): Promise<void> {
    const { database, remove } = await createTestDatabase(target);
    const service = createTestService({ database, sealer: app.service.sealer });
    try {
      await importAccount(service, { folder: join(folder, engine), isDryRun: false, sourceSealer: null });
      await check(service);
    } finally {
      await remove();
    }
  }

  it.each(engines)('are not sent again on %s: what was under way is held, with an event', async (target) => {
    await moveTo(target, async (service) => {
      const { database } = service;
      const transfer = await transferOf(database, ids.sending);
      expect(transfer).toMatchObject({ status: 'held', dueAt: null, leasedBy: null, leasedUntil: null, endedAt: null });
      for (const status of ['held', 'sent', 'failed'] as const) {
        expect(await transferOf(database, ids[status])).toMatchObject({ status });
      }
      const { data } = await listPayouts(service, app.accountId, payoutListQuery.parse({ status: 'held' }));
      const notes = Object.fromEntries(data.map(({ id, note }) => [id, note]));
      expect(notes).toEqual({ [ids.sending]: MOVED, [ids.held]: 'as before' });
      const told = await database.read((tx) =>
        tx.all<{ body: string }>("SELECT body FROM events WHERE type = 'payout.held' ORDER BY id DESC LIMIT 1"),
      );
      expect(JSON.parse(told[0]?.body ?? '')).toMatchObject({ data: { id: ids.sending, status: 'held', note: MOVED } });
      await requireAgreement(service, app.accountId);
      const end = { status: 'paid', note: null, actor: { kind: 'command_line' } } as const;
      expect(await settlePayout(service, app.accountId, ids.sending, end)).toMatchObject({ status: 'paid' });
      expect(await transferOf(database, ids.sending)).toMatchObject({ status: 'sent' });
    });
  });
});
