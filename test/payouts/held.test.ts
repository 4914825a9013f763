import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkLedger } from '../../src/audit/ledger.ts';
import type { Actor } from '../../src/core/actor.ts';
import type { AccountId } from '../../src/core/ids.ts';
import { shortIdOf } from '../../src/core/short-id.ts';
import { makePayoutFile } from '../../src/payouts/files.ts';
import { settlePayout } from '../../src/payouts/states.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { beforeUnits } from '../helpers/before-units.ts';
import { engines } from '../helpers/databases.ts';
import { earningsOf, payoutsOf, runPayouts, sell } from '../helpers/earning.ts';
import { expectError } from '../helpers/expect-error.ts';
import { addTransfer, hold, transferOf } from '../helpers/held-payouts.ts';
import { createOperator, type SignedIn } from '../helpers/operators.ts';
import { createReferrer, type Referrer } from '../helpers/story.ts';

const NOW = Date.UTC(2026, 11, 1);
const WHY = 'Stripe did not say whether it made the transfer';
const ACTOR: Actor = { kind: 'command_line' };
const ENDED = { dueAt: null, leasedBy: null, leasedUntil: null, endedAt: NOW };

describe.each(engines)('a payout that is held, on %s', (engine) => {
  let app: TestApp;
  let referrer: Referrer;
  let id: string;
  let owner: SignedIn;
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => NOW } });
    owner = await createOperator(app);
  });
  beforeEach(async () => {
    referrer = await createReferrer(app);
    await sell(app, referrer);
    await runPayouts(app, { at: '2027-12-31' });
    id = (await payoutsOf(app, referrer.partnerId, 'processing'))[0].id;
  });
  afterAll(() => app.close());

  const end = (word: string, body?: object) => app.call('POST', `/api/payouts/${id}/${word}`, { body });
  const payout = async () => (await app.call('GET', `/api/payouts/${id}`)).body;
  const holdIt = () => hold(app.service, app.accountId, id, WHY);

  async function disagreements(): Promise<unknown[]> {
    const found: unknown[] = [];
    for await (const disagreement of checkLedger(app.service, app.accountId)) found.push(disagreement);
    return found;
  }

  it('says why, and counts in every sum like one that is processing', async () => {
    const overview = async () => (await app.call('GET', '/api/overview')).body;
    const sums = async () => [
      await earningsOf(app, referrer.partnerId),
      (await overview()).owed,
      (await app.call('GET', `/api/payouts/${id}/statement?format=csv`)).text,
      await disagreements(),
    ];
    const before = await sums();
    expect(before[3]).toEqual([]);
    expect(await holdIt()).toBe(true);
    expect(await payout()).toMatchObject({ status: 'held', note: WHY, paidAt: null, endedAt: null, endedBy: null });
    const [earnings, owed, ...others] = before;
    // the part of them that is held is said, too
    expect(await sums()).toEqual([earnings, { ...owed, heldPayouts: { usd: 2_000 } }, ...others]);
    expect((await overview()).attention.heldPayouts).toEqual({ count: 1, isMore: false });
    expect(await payoutsOf(app, referrer.partnerId, 'held')).toMatchObject([{ id }]);
  });

  it('is only held from processing, and once', async () => {
    const [queued] = await payoutsOf(app, referrer.partnerId, 'queued');
    expect(await hold(app.service, app.accountId, queued.id)).toBe(false);
    expect(await holdIt()).toBe(true);
    expect(await hold(app.service, app.accountId, id, 'another reason')).toBe(false);
    expect(await payout()).toMatchObject({ status: 'held', note: WHY });
    await end('paid');
    expect(await holdIt()).toBe(false);
    expect((await payout()).status).toBe('paid');
  });

  it.each([
    ['paid', 'paid', 'sent', { held: 0, paid: 2000 }],
    ['failed', 'failed', 'failed', { held: 2000, paid: 0 }],
  ])('is marked as %s by a person, with its transfer', async (word, status, transfer, sums) => {
    await addTransfer(app.service.database, id, 'held');
    await holdIt();
    expect((await end(word, { note: 'Seen at Stripe' })).body).toMatchObject({ status, note: 'Seen at Stripe' });
    expect(await earningsOf(app, referrer.partnerId)).toMatchObject(sums);
    expect(await transferOf(app.service.database, id)).toMatchObject({ status: transfer, ...ENDED });
    expect(await disagreements()).toEqual([]);
    const { body: log } = await owner.call('GET', `/api/audit-log?resourceId=${id}&limit=1`);
    expect(log.data[0]).toMatchObject({ action: `payout.mark_${word}` });
    expect(log.data[0].changes).toMatchObject({ status: { before: 'held', after: status } });
  });

  it('keeps the reason why it was held, unless it ends with another note', async () => {
    await holdIt();
    expect((await end('paid')).body).toMatchObject({ status: 'paid', note: WHY });
  });

  it('is never canceled, because it may have been paid', async () => {
    await addTransfer(app.service.database, id, 'held');
    await holdIt();
    const refused = await end('cancel');
    expectError(refused, 409, 'INVALID_STATE');
    expect(refused.body.error.message).toMatch(/is held, .* mark it as paid or failed$/);
    expect(await payout()).toMatchObject({ status: 'held', note: WHY });
    expect(await transferOf(app.service.database, id)).toMatchObject({ status: 'held', endedAt: null });
  });

  it.each(['paid', 'failed'])('is not ended by a report of a bank that says %s', async (status) => {
    await holdIt();
    const results = [{ id: shortIdOf(id), status }];
    const { body } = await app.call('POST', '/api/payouts/results', { body: { results } });
    expect(body).toMatchObject({ paid: 0, failed: 0, unchanged: 0 });
    expect(body.problems).toEqual([{ id: shortIdOf(id), message: expect.stringContaining('is held') }]);
    expect((await payout()).status).toBe('held');
  });

  it('is exported only when it is asked for, so that nobody pays it again', async () => {
    await addTransfer(app.service.database, id, 'held');
    await holdIt();
    const exported = async (query: string) =>
      (await app.call('GET', `/api/payouts/export?format=json&partnerId=${referrer.partnerId}${query}`)).body.data;
    expect(await exported('')).toEqual([]);
    expect(await exported('&status=held')).toMatchObject([{ id, status: 'held', transferStatus: 'held' }]);
  });

  it('is on its way for the partner, like one that is processing', async () => {
    const body = { enrollmentId: referrer.partnerId };
    const { publicToken: key } = (await app.call('POST', '/api/embed/token', { body })).body;
    const shown = async () => {
      const parts = ['payouts', 'earnings', `payouts/${id}/statement`];
      return Promise.all(
        parts.map(async (part) => (await app.call('GET', `/api/embed/referrals/${part}`, { key })).body),
      );
    };
    const before = await shown();
    expect(before[0].data).toMatchObject([{ id, status: 'processing' }]);
    expect(before[1].data).toMatchObject([{ processing: 2000 }]);
    await holdIt();
    expect(await shown()).toEqual(before);
  });

  it('stays as it is in later runs, which pay what was earned since', async () => {
    await holdIt();
    await sell(app, referrer, { amount: 5_000 });
    await runPayouts(app, { at: '2027-12-31' });
    expect(await payoutsOf(app, referrer.partnerId, 'processing')).toMatchObject([{ amount: 1000 }]);
    expect(await payout()).toMatchObject({ status: 'held', amount: 2000 });
    expect(await disagreements()).toEqual([]);
  });

  const payByPayPal = async () => {
    const body = { rail: 'paypal', email: 'ana@example.com' };
    await app.call('PUT', `/api/partners/${referrer.partnerId}/payout-details`, { body });
  };

  it('or sent while a file is made is not in that file', async () => {
    await payByPayPal();
    const service = beforeUnits(app.service, () => addTransfer(app.service.database, id, 'sending'));
    const input = { rail: 'paypal' as const, payoutIds: [id], currency: null };
    const making = makePayoutFile(service, app.accountId as AccountId, input, ACTOR);
    await expect(making).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('is in no payout file, and goes into none', async () => {
    await payByPayPal();
    await holdIt();
    const made = await app.call('POST', '/api/payouts/files', { body: { rail: 'paypal', payoutIds: [id] } });
    expectError(made, 409, 'INVALID_STATE');
    expect(made.body.error.message).toMatch(/: The payout is held; only one that is processing is paid$/);
    expectError(await app.call('POST', '/api/payouts/files', { body: { rail: 'paypal' } }), 409, 'INVALID_STATE');
  });

  describe('or is being sent', () => {
    beforeEach(() => addTransfer(app.service.database, id, 'sending'));

    it.each(['paid', 'failed', 'cancel'])('cannot be ended by others: %s', async (word) => {
      const refused = await end(word);
      expectError(refused, 409, 'INVALID_STATE');
      expect(refused.body.error.message).toBe(
        `Payout ${id} is being sent by Stripe: wait until it is paid, failed or held`,
      );
      expect((await payout()).status).toBe('processing');
      expect(await transferOf(app.service.database, id)).toMatchObject({ status: 'sending', leasedBy: 'process' });
    });

    it('is ended by who sends it, with its transfer, or not at all', async () => {
      const settle = (endTransfer: () => Promise<void>) =>
        settlePayout(app.service, app.accountId, id, { status: 'paid', note: 'tr_1', actor: ACTOR, endTransfer });
      await expect(settle(() => Promise.reject(new Error('another process ended it')))).rejects.toThrow('another');
      expect((await payout()).status).toBe('processing');
      expect(await settle(async () => {})).toMatchObject({ status: 'paid', note: 'tr_1' });
    });

    it('goes into no payout file', async () => {
      await payByPayPal();
      const none = await app.call('POST', '/api/payouts/files', { body: { rail: 'paypal' } });
      expectError(none, 409, 'INVALID_STATE');
      const askedFor = await app.call('POST', '/api/payouts/files', { body: { rail: 'paypal', payoutIds: [id] } });
      expectError(askedFor, 409, 'INVALID_STATE');
      expect(askedFor.body.error.message).toMatch(/: The payout is being sent by Stripe$/);
    });

    it('does not look payable in an export', async () => {
      const query = `partnerId=${referrer.partnerId}`;
      const { body } = await app.call('GET', `/api/payouts/export?format=json&${query}`);
      expect(body.data).toMatchObject([{ id, status: 'processing', fileId: null, transferStatus: 'sending' }]);
      const csv = (await app.call('GET', `/api/payouts/export?${query}`)).text.split('\r\n');
      expect(csv.slice(0, 2).map((line) => line.split(',').at(-1))).toEqual(['transfer_status', 'sending']);
    });
  });
});
