import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addEntries } from '../../src/ledger/entries.ts';
import { finishSettling } from '../../src/payouts/settle.ts';
import { SLICE_ENTRIES } from '../../src/payouts/slice.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { startChild } from '../helpers/child-process.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf, payoutsOf, runPayouts } from '../helpers/earning.ts';
import { fillLedger } from '../helpers/fill-ledger.ts';
import { FromScratch } from '../helpers/from-scratch.ts';
import { asId } from '../helpers/ids.ts';
import { requireAgreement } from '../helpers/require-agreement.ts';
import { untilTaken } from '../helpers/until-taken.ts';

const RUN = new URL('./children/run-payouts.ts', import.meta.url);
const ENTRIES = 6 * SLICE_ENTRIES;
const SUM = (ENTRIES * (ENTRIES + 1)) / 2;
const PARTNER = 'ptr_1';

describe.each(engines)('a payout of more entries than fit in one unit of work, on %s', (engine) => {
  let app: TestApp;
  beforeEach(async () => {
    app = await createTestApp(engine);
    await fillLedger(app, { partners: 2, entriesPerPartner: ENTRIES });
  });
  afterEach(() => app.close());

  const scratch = () => FromScratch.read(app.service.database, app.accountId);
  const adjust = (amount: number) =>
    app.call('POST', '/api/adjustments', { body: { partnerId: PARTNER, amount, currency: 'usd', reason: 'Test' } });

  /** Acts like a refund of sales whose hold ended before the killed run. */
  function refund(amount: number) {
    const { accountId, programId } = app;
    const terms = { saleId: null, currency: 'usd', availableAt: 1, isUndecided: false };
    const owner = { accountId, programId, partnerId: asId<'ptr'>(PARTNER), ...terms };
    const entry = { kind: 'reversal', amountMinor: -amount, reason: null } as const;
    return app.service.database.write((tx) => addEntries(tx, owner, [entry], app.service.clock()));
  }

  async function requireSound(): Promise<void> {
    await (await scratch()).requireStored();
    await requireAgreement(app.service, app.accountId);
  }

  /** A run whose process is killed after some slices of the first partner. */
  async function killedRun(slices: number): Promise<void> {
    const child = startChild(RUN, [app.databaseUrl, app.accountId, '--kill-after', String(slices)]);
    expect((await child.ended).signal).toBe('SIGKILL');
  }

  it('stays queued with its amount when the run is killed, and the next run continues where it stopped', async () => {
    await killedRun(3);
    const [queued, ...others] = await payoutsOf(app, PARTNER);
    expect([queued, others]).toMatchObject([{ status: 'queued', amount: SUM, entryCount: ENTRIES }, []]);
    expect(await earningsOf(app, PARTNER)).toMatchObject({ held: 0, payable: SUM, paid: 0 });
    const [collecting] = (await scratch()).payouts;
    expect(collecting).toMatchObject({ id: queued.id, isCollecting: 1 });
    expect(collecting?.collectedCount).toBeGreaterThanOrEqual(3 * SLICE_ENTRIES);
    const { body: ofPayout } = await app.call('GET', `/api/ledger?payoutId=${queued.id}&limit=1`);
    expect(ofPayout.data).toMatchObject([{ payoutId: queued.id, partnerId: PARTNER }]);
    const { owed, payouts } = (await app.call('GET', '/api/overview')).body;
    expect(owed).toMatchObject({ held: { usd: 0 }, available: { usd: 2 * SUM } });
    expect(payouts).toEqual([{ currency: 'usd', count: 2, amount: 2 * SUM }]);
    await requireSound();

    // what became due after the killed run belongs to the next payout
    await new Promise((resolve) => setTimeout(resolve, 5));
    await adjust(7);
    const forecast = await runPayouts(app, { dryRun: true });
    expect(forecast.body.data).toContainEqual(expect.objectContaining({ id: queued.id, amount: SUM }));
    const { body } = await runPayouts(app, { at: '1970-01-02' });
    expect(body.data).toMatchObject([{ id: queued.id, amount: SUM, entryCount: ENTRIES }, { partnerId: 'ptr_2' }]);
    expect(await payoutsOf(app, PARTNER)).toMatchObject([
      { status: 'queued', amount: 7, entryCount: 1 },
      { id: queued.id, status: 'processing', amount: SUM, entryCount: ENTRIES },
    ]);
    await requireSound();
  });

  it('keeps its partner from being erased, whom the next run would pay despite an adjustment to zero', async () => {
    await killedRun(3);
    await adjust(-SUM);
    const refused = await app.call('DELETE', `/api/partners/${PARTNER}/personal-data`);
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining('run payouts again')]);
    expect((await runPayouts(app)).body.data).toMatchObject([{ partnerId: PARTNER, amount: SUM }, {}]);
  });

  it('is released when refunds use up what was collected before the run was killed', async () => {
    await killedRun(2);
    await refund(SUM);
    const { body } = await runPayouts(app);
    expect(body.data).toMatchObject([{ partnerId: 'ptr_2' }]);
    expect(await payoutsOf(app, PARTNER)).toMatchObject([{ status: 'queued', amount: 0, entryCount: ENTRIES + 1 }]);
    expect((await scratch()).assignments.filter(({ payoutId }) => payoutId === `pay_00_${PARTNER}`)).toEqual([]);
    await requireSound();
    await adjust(1);
    expect((await runPayouts(app)).body.data).toMatchObject([{ amount: 1, entryCount: ENTRIES + 2 }]);
    await requireSound();
  });

  it('is paid once by concurrent runs, beside refunds', async () => {
    const runs = Promise.all([1, 2, 3].map(() => runPayouts(app)));
    const adjusted = await Promise.all(Array.from({ length: 20 }, () => untilTaken(() => adjust(-10))));
    expect(adjusted.map(({ status }) => status)).toEqual(adjusted.map(() => 201));
    const started = (await runs).flatMap(({ body }) => body.data);
    expect(started.map(({ partnerId }) => partnerId).sort()).toEqual([PARTNER, 'ptr_2']);
    expect((await runs).flatMap(({ body }) => body.failed)).toEqual([]);
    const { payable, paid } = await earningsOf(app, PARTNER);
    expect({ payable, paid }).toEqual({ payable: SUM - 200, paid: 0 });
    await requireSound();
  });

  it('moves all sums at once when it fails, and its entries slice by slice, also after a second failure', async () => {
    await runPayouts(app);
    const [first] = await payoutsOf(app, PARTNER, 'processing');
    expect((await app.call('POST', `/api/payouts/${first.id}/failed`)).status).toBe(200);
    expect((await scratch()).payouts.find(({ id }) => id === first.id)?.isSettling).toBe(1);
    expect(await payoutsOf(app, PARTNER, 'queued')).toMatchObject([{ amount: SUM, entryCount: ENTRIES }]);
    const ofFirst = await app.call('GET', `/api/ledger?payoutId=${first.id}`);
    const all = await app.call('GET', `/api/ledger?partnerId=${PARTNER}&limit=100`);
    expect(ofFirst.body.data).toEqual([]);
    expect(all.body.data.map(({ payoutId }: { payoutId: null }) => payoutId)).toEqual(all.body.data.map(() => null));
    await requireSound();

    // a run releases the rest before it pays again
    const { body } = await runPayouts(app);
    expect(body.data).toMatchObject([{ partnerId: PARTNER, amount: SUM, entryCount: ENTRIES }]);
    await requireSound();
    const [second] = await payoutsOf(app, PARTNER, 'processing');
    await app.call('POST', `/api/payouts/${second.id}/cancel`);
    await finishSettling(app.service, null);
    expect(
      (await scratch()).assignments.filter(({ live, entryId }) => live !== 0 && entryId.endsWith(PARTNER)),
    ).toEqual([]);
    await requireSound();
  });

  it('marks its entries as paid slice by slice', async () => {
    await runPayouts(app);
    const [payout] = await payoutsOf(app, PARTNER, 'processing');
    await app.call('POST', `/api/payouts/${payout.id}/paid`);
    expect(await earningsOf(app, PARTNER)).toMatchObject({ payable: 0, paid: SUM });
    await requireSound();
    // without time there is no work; the next call continues
    await finishSettling(app.service, null, 0);
    expect((await scratch()).payouts.find(({ id }) => id === payout.id)?.isSettling).toBe(1);
    await finishSettling(app.service, null);
    const { assignments } = await scratch();
    expect(assignments.filter(({ payoutId, live }) => payoutId === payout.id && live === 2)).toHaveLength(ENTRIES);
    await requireSound();
  });

  it('does not stop the others when it fails, and is started by the next run', async () => {
    const refuse = `INSERT INTO payout_entries (payout_id, account_id, entry_id, live)
      SELECT 'pay_00_${PARTNER}', account_id, id, 0 FROM ledger_entries WHERE partner_id = '${PARTNER}' AND amount = 1`;
    await app.service.database.write((tx) => tx.run(refuse));
    const { status, body } = await runPayouts(app);
    expect([status, body]).toMatchObject([
      200,
      {
        payoutCount: 1,
        data: [{ partnerId: 'ptr_2' }],
        failed: [{ partnerId: PARTNER, currency: 'usd', code: 'INTERNAL_ERROR', message: expect.any(String) }],
      },
    ]);
    await app.service.database.write((tx) => tx.run('DELETE FROM payout_entries WHERE live = 0'));
    expect((await runPayouts(app)).body).toMatchObject({ data: [{ partnerId: PARTNER, amount: SUM }], failed: [] });
    await requireSound();
  });
});
