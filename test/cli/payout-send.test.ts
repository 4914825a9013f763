import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS } from '../helpers/stripe-connect.ts';
import {
  byStripe,
  closeScene,
  groupOf,
  json,
  newPayouts,
  openScene,
  remote,
  run,
  server,
  statusOf,
  stripe,
  workplace,
} from './payout-send-scene.ts';

beforeAll(openScene);
afterAll(closeScene);

const TEST_MODE = 'stripe is connected in test mode: no real money is moved.\n';

describe('refbridge payouts send', () => {
  it('sends the named payouts, waits until they are paid, and may be repeated', async () => {
    const [first = '', second = ''] = await newPayouts(byStripe(), byStripe());
    const sent = await run([...remote, 'payouts', 'send', first, second]);
    expect([sent.exitCode, sent.stderr]).toEqual([0, TEST_MODE]);
    for (const id of [first, second])
      expect(sent.stdout).toMatch(new RegExp(`^${id}  50\\.00 EUR  paid  tr_\\w+$`, 'm'));
    const again = await json('payouts', 'send', first, second, first);
    expect([again.data, again.unchanged.length, again.held, again.failed]).toEqual([[], 2, [], []]);
    expect([stripe.madeOf(groupOf(first)), stripe.madeOf(groupOf(second))]).toEqual([1, 1]);
  });

  it('sends every payout that can be sent, and counts the others by reason', async () => {
    const paypal = { rail: 'paypal', email: 'ana@example.com' };
    const [inFile = ''] = await newPayouts(paypal);
    await json('payouts', 'file', '--rail', 'paypal', '--currency', 'EUR');
    const [other = '', another = '', unknown = '', payable = ''] = await newPayouts(paypal, paypal, null, byStripe());

    const dry = await run([...remote, 'payouts', 'send', '--all', '--dry-run']);
    expect(dry.exitCode).toBe(0);
    expect(dry.stdout).toMatch(new RegExp(`^${payable} +Ana +50\\.00 EUR +stripe +acct_….{4}$`, 'm'));
    expect(dry.stderr).toContain('Would send 1 payout: 50.00 EUR.\n');
    expect(stripe.madeOf(groupOf(payable))).toBe(0);

    const { data, skipped, failed, held } = JSON.parse(
      (await run([...remote, 'payouts', 'send', '--all', '--json'])).stdout,
    );
    expect(data.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([[payable, 'paid']]);
    expect([failed, held]).toEqual([[], []]);
    expect(skipped).toEqual([
      { reason: 'in a payout file', count: 1 },
      { reason: 'paid by a file for paypal', count: 2 },
      { reason: 'without payout details of the partner', count: 1 },
    ]);
    for (const id of [inFile, other, another, unknown]) expect(await statusOf(id)).toBe('processing');
    const none = await run(['payouts', 'send', '--all']);
    expect([none.exitCode, none.stdout]).toEqual([0, '']);
    expect(none.stderr).toMatch(/^There is nothing to send\.\nSkipped 1 payout in a payout file\.\n/);
  });

  it('goes on after one that cannot be sent and one that Stripe refuses, and exits with 1', async () => {
    const unready = stripe.platform.addAccount({ capabilities: { transfers: 'inactive' } }).id;
    const [refused = '', failing = '', fine = ''] = await newPayouts(
      { rail: 'stripe', account: unready },
      byStripe(),
      byStripe(),
    );
    const insufficient = { error: { type: 'invalid_request_error', code: 'balance_insufficient', message: 'Too low' } };
    stripe.fault('POST /v1/transfers', FAULTS.answer({ status: 400, body: insufficient }));
    // ordered first, before the other may be
    const first = await run([...remote, 'payouts', 'send', failing]);
    expect([first.exitCode, first.stdout]).toEqual([1, '']);
    expect(first.stderr).toContain(`Payout ${failing} is failed: Stripe refuses: Too low.`);
    const { exitCode, stdout } = await run([...remote, 'payouts', 'send', refused, fine, '--json']);
    const { data, failed } = JSON.parse(stdout);
    expect([exitCode, data.length, failed.length]).toEqual([1, 1, 1]);
    expect(failed[0]).toMatchObject({ id: refused, code: 'INVALID_STATE' });
    expect(failed[0].message).toContain('cannot be paid by Stripe');
    expect(await statusOf(refused)).toBe('processing');
    const text = await run(['payouts', 'send', refused]);
    expect(text.stderr).toContain(`${refused}: Ana cannot be paid by Stripe: `);
    await json('payouts', 'mark-paid', refused);
  });

  it('says that a payout is held and what to do, and looks again when it is repeated', async () => {
    const [id = ''] = await newPayouts(byStripe());
    stripe.platform.addAccount();
    stripe.fault('POST /v1/transfers', FAULTS.dropAfter);
    const sending = run([...remote, 'payouts', 'send', id]);
    await expect.poll(() => stripe.madeOf(groupOf(id)), { timeout: 20_000 }).toBe(1);
    const [made] = [...stripe.transfers.values()].filter(({ transfer_group }) => transfer_group === groupOf(id));
    stripe.platform.reverse(made?.id ?? '');
    const held = await sending;
    expect([held.exitCode, held.stdout]).toEqual([1, expect.stringContaining(`${id}  50.00 EUR  held`)]);
    expect(held.stderr).toContain(`${id} is held: `);
    expect(held.stderr).toMatch(/transfer group payout_<id>.* payouts mark-paid <id>/s);
    const again = await run([...remote, 'payouts', 'send', id, '--json']);
    expect([again.exitCode, JSON.parse(again.stdout).held.length]).toEqual([1, 1]);
    const dry = await run(['payouts', 'send', id, '--dry-run']);
    expect([dry.exitCode, dry.stderr]).toEqual([0, expect.stringContaining('would be looked for again')]);
    await json('payouts', 'mark-failed', id);
    expect(stripe.madeOf(groupOf(id))).toBe(1);
  });

  it('refuses neither ids nor --all, both, and an id of nobody before anything is sent', async () => {
    const [id = ''] = await newPayouts(byStripe());
    for (const words of [[], [id, '--all']]) expect((await run(['payouts', 'send', ...words])).exitCode).toBe(2);
    const unknown = await run([...remote, 'payouts', 'send', id, 'pay_none']);
    expect([unknown.exitCode, unknown.stdout, stripe.madeOf(groupOf(id))]).toEqual([1, '', 0]);
    expect((await json('payouts', 'show', id)).transfer).toBeNull();
    await json('payouts', 'send', id);
  });

  it('only orders with --no-wait, does the work without a server, and goes on after Ctrl-C', async () => {
    const [first = '', second = ''] = await newPayouts(byStripe(), byStripe());
    await server.stop();
    const ordered = await json('payouts', 'send', first, '--no-wait');
    expect([ordered.data[0].status, ordered.data[0].transfer.status]).toEqual(['processing', 'sending']);
    expect(stripe.madeOf(groupOf(first))).toBe(0);
    expect((await json('payouts', 'send', first)).data[0].status).toBe('paid');

    stripe.fault('POST /v1/transfers', FAULTS.unavailable);
    const stopped = workplace.start('payouts', 'send', second);
    await stopped.saw(/is not paid yet, and tried again/);
    const saw = stopped.saw(/Stopped\. What was ordered is still sent, once/);
    expect(await stopped.stop('SIGINT')).toBe(130);
    await saw;
    const { data } = await json('payouts', 'send', '--all');
    // with the payouts of partners whose earlier ones failed
    expect(data.find(({ id }: { id: string }) => id === second)?.status).toBe('paid');
    expect(stripe.madeOf(groupOf(second))).toBe(1);
  });
});
