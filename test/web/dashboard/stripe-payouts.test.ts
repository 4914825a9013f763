import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FAULTS } from '../../helpers/stripe-connect.ts';
import { resize } from '../reference/visit.ts';
import { auditOf } from './list-scene.ts';
import { createStripeScene, type StripeScene } from './stripe-scene.ts';

const DAY_MINUTES = 24 * 60;

let scene: StripeScene;
let page: Page;
let button: StripeScene['button'];
let shown: StripeScene['shown'];

beforeAll(async () => {
  scene = await createStripeScene();
  ({ page, button, shown } = scene);
});
beforeEach(() => scene.connect());
afterAll(() => scene.close());

const send = (id: string) => scene.app.call('POST', `/api/payouts/${id}/send`);
const detail = () => page.getByRole('region', { name: 'Payout', exact: true });
const badge = (words: string) => detail().getByText(words, { exact: true }).first().waitFor();
const actions = (name: RegExp) => detail().getByRole('button', { name }).count();

/** A payout of which nobody knows whether Stripe has paid it, and which is not found. */
async function newHeld(name: string): Promise<string> {
  const id = await scene.newPayout(name);
  scene.stripe.fault('POST /v1/transfers', FAULTS.drop);
  await send(id);
  await scene.work();
  scene.passTime(2 * DAY_MINUTES);
  await scene.work();
  expect(await scene.payout(id)).toMatchObject({ status: 'held' });
  return id;
}

describe('a payout to a partner whom Stripe pays', () => {
  it('is sent after a question that says amount and account, and then says what becomes of it', async () => {
    const id = await scene.newPayout('Ana');
    await scene.show(`/payouts/${id}`);
    await button('Send by Stripe').click();
    const dialog = page.getByRole('dialog', { name: 'Send $20.00 to Ana?' });
    await dialog.getByText(/^acct_…/).waitFor();
    await dialog.getByText('Test mode').waitFor();
    expect(await auditOf(page, ['color-contrast', 'button-name'])).toEqual([]);
    expect((await scene.payout(id)).transfer).toBeNull();
    scene.stripe.fault('GET /v1/transfers', FAULTS.unavailable);
    await dialog.getByRole('button', { name: 'Send it' }).click();
    await shown('Stripe gets the order in a moment…');
    await badge('Being sent');
    await page.getByRole('row', { name: /Ana.*Being sent$/ }).waitFor();
    // what was pressed is gone
    await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false);
    expect(await actions(/paid|failed|Cancel|Send/)).toBe(0);
    await scene.work();
    // read again by itself
    await shown('Stripe answered with status 503');
    await detail().getByText('Next attempt').waitFor();
    expect(await auditOf(page)).toEqual([]);
    scene.passTime(60);
    await scene.work();
    await shown('Sent, but no real money has moved.');
    await badge('Paid');
    // in the list, too
    await page.getByRole('row', { name: /Ana.*Paid$/ }).waitFor();
    const { transferId } = (await scene.payout(id)).transfer ?? {};
    expect(scene.stripe.madeOf(`payout_${id}`)).toBe(1);
    await detail()
      .getByRole('button', { name: `Copy ${transferId}` })
      .waitFor();
    expect(await page.getByRole('link', { name: 'Show it at Stripe' }).getAttribute('href')).toBe(
      `https://dashboard.stripe.com/test/connect/transfers/${transferId}`,
    );
    // only once, where it can be copied
    expect(await detail().getByText(String(transferId)).count()).toBe(1);
    expect(await auditOf(page)).toEqual([]);
  });

  it('is not sent while Stripe would refuse it, and says why', async () => {
    const id = await scene.newPayout('Bea');
    const account = [...scene.stripe.accounts.values()].at(-1);
    Object.assign(account ?? {}, { capabilities: { transfers: 'inactive' }, details_submitted: false });
    await scene.show(`/payouts/${id}`);
    await button('Send by Stripe').click();
    await button('Send it').click();
    await page.getByRole('alert').getByText('has not finished signing up at Stripe').waitFor();
    expect(await scene.payout(id)).toMatchObject({ status: 'processing', transfer: null });
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Send by Stripe');
  });

  it('is sent to the account that the partner has by then, which the question names', async () => {
    const id = await scene.newPayout('Cara');
    await scene.show(`/payouts/${id}`);
    await button('Send by Stripe').waitFor();
    const { partnerId } = (await scene.app.call('GET', `/api/payouts/${id}`)).body;
    const { id: account } = scene.stripe.platform.addAccount();
    const body = { rail: 'stripe', account };
    await scene.app.call('PUT', `/api/partners/${partnerId}/payout-details`, { body });
    await button('Send by Stripe').click();
    await page
      .getByRole('dialog')
      .getByText(`acct_…${account.slice(-4)}`)
      .waitFor();
    await button('Send it').click();
    await shown('Stripe gets the order in a moment…');
    await scene.work();
    await badge('Paid');
    expect([...scene.stripe.transfers.values()].at(-1)).toMatchObject({ destination: account, amount: 2_000 });
  });

  it('that Stripe refuses says why', async () => {
    const id = await scene.newPayout('Fay');
    scene.stripe.platform.balances.set('usd', 5);
    await send(id);
    await scene.work();
    scene.stripe.platform.balances.clear();
    await scene.show(`/payouts/${id}`);
    await shown('The transfer was not made.');
    await detail().getByText('insufficient available funds').waitFor();
    await badge('Failed');
    expect(await detail().getByText('insufficient available funds').count()).toBe(1);
    expect(await auditOf(page)).toEqual([]);
  });

  it('leads to where Stripe is connected, and can be marked as paid without it', async () => {
    const id = await scene.newPayout('Nora');
    await scene.disconnect();
    await scene.show(`/payouts/${id}`);
    await button('Mark as paid').waitFor();
    expect(await button('Send by Stripe').count()).toBe(0);
    await page.getByRole('link', { name: 'connect it' }).click();
    await page.getByRole('dialog', { name: 'Connect Stripe to send payouts' }).waitFor();
  });
});

describe('a payout of which nobody knows whether it was paid', () => {
  it('is found from the overview, is looked for again, and ends when it is found', async () => {
    const id = await newHeld('Hedda');
    await scene.show('/');
    await page.getByRole('link', { name: '1 unclear payout' }).click();
    await page
      .getByRole('row', { name: /Hedda.*Unclear$/ })
      .getByRole('link')
      .first()
      .click();
    await shown('It is not certain whether the partner was paid');
    await detail().getByText(`payout_${id}`).waitFor();
    await button('Copy the transfer group').waitFor();
    expect(await actions(/Cancel/)).toBe(0);
    expect(await auditOf(page)).toEqual([]);
    await button('Look again at Stripe').click();
    await shown('Looks for it…');
    await scene.work();
    await shown('Looked again: it is still not known.');
    const destination = [...scene.stripe.accounts.keys()].at(-1) ?? '';
    const order = { amount: 2_000, amount_reversed: 0, currency: 'usd', destination, transfer_group: `payout_${id}` };
    const found = { id: 'tr_found1', object: 'transfer' as const, created: 1, livemode: false, metadata: {} };
    scene.stripe.transfers.set('tr_found1', { ...found, ...order, reversed: false });
    await button('Look again at Stripe').click();
    await shown('Looks for it…');
    await scene.work();
    await badge('Paid');
    await detail().getByText('tr_found1').first().waitFor();
    expect(scene.stripe.madeOf(`payout_${id}`)).toBe(0);
  });

  it('ends as a person says who has looked, after a question', async () => {
    const [paid, failed] = [await newHeld('Hugo'), await newHeld('Hilda')];
    await scene.show(`/payouts/${paid}`);
    await page.getByLabel('Note').fill('tr_by_hand');
    await button('Mark as paid').click();
    await button('Is it at Stripe?').click();
    await expect.poll(async () => (await scene.payout(paid)).status).toBe('paid');
    await detail().getByText('tr_by_hand').waitFor();
    await scene.show(`/payouts/${failed}`);
    await button('Mark as failed').click();
    await button('Was it definitely not paid?').click();
    await expect.poll(async () => (await scene.payout(failed)).status).toBe('failed');
    await badge('Failed');
  });
});

describe('several selected payouts', () => {
  it('are sent at once; those that cannot be sent are named with the reason and stay selected', async () => {
    const ids = [await scene.newPayout('Mia'), await scene.newPayout('Max'), await scene.newPayout('Sia')];
    // those that follow the ones that failed
    const { data } = (await scene.app.call('GET', '/api/payouts?status=processing')).body;
    const others = data.map(({ id }: { id: string }) => id).filter((id: string) => !ids.includes(id));
    for (const id of others) await scene.app.call('POST', `/api/payouts/${id}/paid`);
    const body = { rail: 'paypal', email: 'sia@example.com' };
    const { partnerId } = (await scene.app.call('GET', `/api/payouts/${ids[2]}`)).body;
    await scene.app.call('PUT', `/api/partners/${partnerId}/payout-details`, { body });
    await scene.show('/payouts?status=processing');
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await button('Send by Stripe').click();
    const dialog = page.getByRole('dialog', { name: 'Send 3 payouts by Stripe?' });
    await dialog.getByText('Total: $60.00').waitFor();
    await dialog.getByText('Stripe is in test mode').waitFor();
    await dialog.getByRole('button', { name: 'Send by Stripe' }).click();
    await shown('2 payouts being sent, 1 failed and is still selected.');
    expect(await page.getByRole('list', { name: 'What failed' }).textContent()).toBe(
      'Sia, $20.00: Sia is paid by paypal, which makes files',
    );
    expect(await auditOf(page)).toEqual([]);
    await scene.work();
    // the list follows
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(await scene.payout(String(ids[1]))).toMatchObject({ status: 'paid', transfer: { status: 'sent' } });
    await scene.disconnect();
    await scene.show('/payouts?status=processing');
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await button('Mark as paid').waitFor();
    expect(await button('Send by Stripe').count()).toBe(0);
  });

  it('and texts that are as long as they may be fit a narrow phone', async () => {
    const id = await scene.newPayout('w'.repeat(255));
    await scene.show(`/payouts/${id}`);
    await button('Send by Stripe').click();
    await resize(page, 320);
    expect(await page.evaluate("document.querySelector('dialog').scrollWidth")).toBeLessThanOrEqual(320);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await resize(page, 1440);
  });

  it('cause no error in the browser', () => {
    expect(scene.problems).toEqual([]);
  });
});
