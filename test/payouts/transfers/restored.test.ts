import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createService } from '../../../src/app/service.ts';
import { continueTransfers } from '../../../src/payouts/transfers/work.ts';
import { createSealer } from '../../../src/process/sealer.ts';
import { engines } from '../../helpers/databases.ts';
import { earningsOf } from '../../helpers/earning.ts';
import { requireAgreement } from '../../helpers/require-agreement.ts';
import { FAULTS } from '../../helpers/stripe-connect.ts';
import { createStage, HOUR_MS, LIST, type Sendable, type Stage } from './stage.ts';

/**
 * A backup may be taken between the intent and the order, so that what it says was never ordered was made, by the server
 * that went on.
 */
describe.each(engines)('a transfer in a backup that is older than its order, on %s', (engine) => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await createStage(engine);
    await stage.connect();
  });
  afterEach(() => stage.stripe.clearFaults());
  afterAll(() => stage.close());

  /** A payout that is being sent, and was not ordered as far as the database knows. Returns the id of its transfer. */
  async function restore(): Promise<{ payout: Sendable; transferId: string }> {
    const payout = await stage.payout();
    await stage.send(payout.id);
    const { id, destination } = payout;
    const transfer = { amount: '1999', currency: 'eur', destination, transfer_group: `payout_${id}` };
    const path = '/v1/transfers';
    stage.stripe.platform.answer({
      method: 'POST',
      path,
      body: transfer,
      query: new URLSearchParams(),
      headers: {},
    });
    const [made] = stage.transfersOf(id);
    return { payout, transferId: made?.id ?? '' };
  }

  it('is found, and not ordered again', async () => {
    const { payout, transferId } = await restore();
    await stage.work();
    const paid = await stage.get(payout.id);
    expect([paid.status, paid.note, stage.madeOf(payout.id)]).toEqual(['paid', transferId, 1]);
  });

  it('waits for the key that decrypts the connection: nothing is given back', async () => {
    const { payout, transferId } = await restore();
    const elsewhere = createService({ ...stage.app.service, sealer: createSealer(Buffer.alloc(32, 9)) });
    await continueTransfers(elsewhere);
    const waiting = await stage.get(payout.id);
    expect(waiting).toMatchObject({ status: 'processing', transfer: { status: 'sending', attempts: 0 } });
    expect(waiting.transfer.problem).toContain('SECRET_KEY');
    stage.clock.aheadMs += HOUR_MS;
    await stage.work();
    const paid = await stage.get(payout.id);
    expect([paid.status, paid.note, stage.madeOf(payout.id)]).toEqual(['paid', transferId, 1]);
  });

  it('is held if it cannot be looked for, a day later: it is found when it can', async () => {
    const { payout, transferId } = await restore();
    stage.stripe.fault(LIST, FAULTS.unavailable);
    stage.clock.aheadMs += 24 * HOUR_MS;
    await stage.work();
    expect(await stage.get(payout.id)).toMatchObject({ status: 'held', transfer: { status: 'held', attempts: 0 } });
    await stage.send(payout.id);
    await stage.work();
    const paid = await stage.get(payout.id);
    expect([paid.status, paid.note, stage.madeOf(payout.id)]).toEqual(['paid', transferId, 1]);
  });

  it('stays held when it is looked for after Stripe was disconnected', async () => {
    const { payout, transferId } = await restore();
    stage.stripe.platform.reverse(transferId, 1);
    await stage.work();
    const held = await stage.get(payout.id);
    expect(held).toMatchObject({ status: 'held', transfer: { status: 'held', transferId, attempts: 0 } });
    expect((await stage.app.call('DELETE', '/api/rails/stripe/connection')).status).toBe(204);
    await stage.send(payout.id);
    await stage.work();
    const still = await stage.get(payout.id);
    expect(still).toMatchObject({ status: 'held', transfer: { status: 'held', transferId } });
    expect(still.transfer.problem).toContain('no longer connected');
    expect(await earningsOf(stage.app, payout.partnerId, 'eur')).toMatchObject({ held: 0, payable: 1_999 });
    await stage.connect();
  });

  it('leaves a ledger that agrees', async () => {
    await requireAgreement(stage.app.service, stage.app.accountId);
  });
});
