import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS } from '../../helpers/stripe-connect.ts';
import { allLoaded } from './scene.ts';
import { buttonIn, createStripeScene, linkIn, paidBy, playStripe, type StripeScene } from './stripe-scene.ts';

let scene: StripeScene;
beforeAll(async () => {
  scene = await createStripeScene();
});
afterAll(() => scene.close());

/** Opens the form, in which Stripe is chosen, and chooses a country. */
async function chooseStripe(portal: Page | Frame): Promise<void> {
  await portal.getByRole('button', { name: 'Set it up' }).click();
  await portal.getByRole('radio', { name: 'Stripe', checked: true }).waitFor();
  await portal.getByLabel('Country').selectOption({ label: 'Germany' });
}

/** What a browser does when its user comes back to the tab, some time later. */
async function comeBack(page: Page): Promise<void> {
  await page.clock.fastForward(5000);
  await page.evaluate("dispatchEvent(new Event('focus'))");
}

describe('a partner who is to be paid by Stripe', () => {
  it('signs up in a new tab, comes back, and is told when Stripe will pay', async () => {
    const { token, account } = await scene.newPartner();
    const page = await scene.open(token);
    const known = scene.stripe.accounts.size;
    await page.getByRole('button', { name: 'Set it up' }).click();
    expect(await page.getByRole('radio').count()).toBe(4);
    // no country is chosen for the partner
    await buttonIn(page).click();
    await page.getByText('Please fill this in.').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('paid-by-country');
    expect(await page.getByRole('option').count()).toBe(250);
    expect(scene.stripe.accounts.size).toBe(known);
    await page.getByLabel('Country').selectOption({ label: 'Germany' });
    await buttonIn(page).click();
    await linkIn(page).waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.href')).toContain(account());
    expect(scene.stripe.accounts.get(account())).toMatchObject({ country: 'DE' });
    await page.getByText('Stripe cannot pay you yet').waitFor();
    const [tab] = await Promise.all([page.waitForEvent('popup'), page.keyboard.press('Enter')]);
    await tab.waitForLoadState();
    expect(tab.url()).toContain(`https://connect.stripe.com/setup/e/${account()}/`);
    expect(await tab.evaluate('[opener, document.referrer]')).toEqual([null, '']);
    await page.getByText('Come back here when you have finished').waitFor();
    // stopped in the middle: nothing is said to be done, and one press leads to a new link
    await page.clock.install();
    const [answer] = await Promise.all([page.waitForResponse('**/payout-onboarding'), comeBack(page)]);
    await answer.finished();
    await page.getByText('Stripe cannot pay you yet').waitFor();
    await buttonIn(page).click();
    expect(await linkIn(page).getAttribute('href')).not.toBe(tab.url());
    scene.stripe.platform.finishOnboarding(account());
    await comeBack(page);
    await page.getByText('All set: Stripe will pay you.').waitFor();
    expect(await linkIn(page).count()).toBe(0);
    expect(await paidBy(page).getByRole('button').allInnerTexts()).toEqual(['Change']);
    await page.context().close();
  });

  it.each([
    ['a frame', undefined],
    ['a sandboxed frame', 'allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox'],
  ])('opens Stripe from %s on another origin, in a tab of its own', async (_, sandbox) => {
    const { token, account } = await scene.newPartner();
    const options = { viewport: { width: 320, height: 700 }, ...(sandbox === undefined ? {} : { sandbox }) };
    const { page, frame, problems, messages, leave } = await scene.visit(
      scene.frameUrl(token, { lang: 'en' }),
      options,
    );
    await playStripe(page.context());
    await allLoaded(frame);
    await chooseStripe(frame);
    await buttonIn(frame).click();
    const [tab] = await Promise.all([page.context().waitForEvent('page'), linkIn(frame).click()]);
    await tab.waitForLoadState();
    expect(tab.url()).toContain(`https://connect.stripe.com/setup/e/${account()}/`);
    // its scripts run, with its own storage
    expect(await tab.evaluate('[opener, origin, typeof localStorage]')).toEqual([
      null,
      'https://connect.stripe.com',
      'object',
    ]);
    await frame.getByText('Come back here when you have finished').waitFor();
    expect(await messages('ERROR')).toEqual([]);
    expect(problems).toEqual([]);
    await leave();
  });

  it('gets a new link with one press when one has expired', async () => {
    const { token, haveAccount } = await scene.newPartner();
    await haveAccount();
    const page = await scene.open(token);
    await page.clock.install();
    await buttonIn(page).click();
    const first = await linkIn(page).getAttribute('href');
    await page.clock.fastForward(301_000);
    await buttonIn(page).waitFor();
    expect(await linkIn(page).count()).toBe(0);
    await buttonIn(page).click();
    expect(await linkIn(page).getAttribute('href')).not.toBe(first);
    await page.context().close();
  });

  it('sees everything else while Stripe takes its time, and learns quietly that it does not answer', async () => {
    const { token, haveAccount } = await scene.newPartner();
    const account = await haveAccount();
    const target = `GET /v1/accounts/${account}`;
    scene.stripe.fault(target, FAULTS.delay(3000));
    const slow = await scene.visit(scene.frameUrl(token, { lang: 'en' }));
    await slow.frame.getByText('Asking Stripe').waitFor();
    await slow.frame.getByText('No payouts yet').waitFor();
    await allLoaded(slow.frame);
    expect(await slow.frame.getByText('Asking Stripe').isVisible()).toBe(true);
    await slow.frame.getByText('Stripe cannot pay you yet').waitFor();
    await slow.leave();
    scene.stripe.fault(target, FAULTS.drop);
    const silent = await scene.visit(scene.frameUrl(token, { lang: 'en' }));
    await silent.frame.getByText('Stripe could not be asked just now').waitFor();
    expect(await silent.frame.getByRole('alert').count()).toBe(0);
    expect(await silent.messages('ERROR')).toEqual([]);
    await silent.frame.getByRole('button', { name: 'Try again' }).click();
    await silent.frame.getByText('Stripe cannot pay you yet').waitFor();
    await silent.leave();
  });

  it('is asked about again after coming back during an answer that is old by then', async () => {
    const { token, haveAccount } = await scene.newPartner();
    const account = await haveAccount();
    const page = await scene.open(token);
    await buttonIn(page).waitFor();
    await page.clock.install();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(
      '**/payout-onboarding',
      async (route) => {
        const headers = { ...route.request().headers(), 'sec-fetch-site': 'same-origin' };
        const response = await route.fetch({ headers });
        await released;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    await Promise.all([page.waitForRequest('**/payout-onboarding'), comeBack(page)]);
    await expect.poll(() => scene.stripe.requests.filter(({ path }) => path.endsWith(account)).length).toBe(2);
    scene.stripe.platform.finishOnboarding(account);
    await comeBack(page);
    release();
    await page.getByText('All set: Stripe will pay you.').waitFor();
    await page.context().close();
  });

  it("reads why Stripe refuses, in Stripe's words, and keeps what was chosen", async () => {
    const { token } = await scene.newPartner();
    const page = await scene.open(token);
    await chooseStripe(page);
    scene.stripe.platform.accountRefusal = 'Accounts in DE cannot be created.';
    await buttonIn(page).click();
    const alert = page.getByRole('alert');
    await alert.waitFor();
    // each in its own line
    expect(await alert.locator('*').allTextContents()).toEqual([
      'Stripe did not accept this.',
      'Stripe refuses: Accounts in DE cannot be created',
    ]);
    expect(await page.getByLabel('Country').inputValue()).toBe('DE');
    scene.stripe.platform.accountRefusal = null;
    scene.stripe.fault('POST /v1/account_links', FAULTS.drop);
    await page.waitForTimeout(600);
    await buttonIn(page).click();
    await page.getByText('Something is not working right now.').waitFor();
    await page.waitForTimeout(600);
    await buttonIn(page).click();
    await linkIn(page).waitFor();
    await page.context().close();
  });

  it('is told when the program does not pay by Stripe any more, and chooses another method', async () => {
    const { token, haveAccount } = await scene.newPartner();
    await haveAccount();
    expect((await scene.app.call('DELETE', '/api/rails/stripe/connection')).status).toBe(204);
    const page = await scene.open(token);
    await page.getByText('Example Ltd does not pay through Stripe at the moment').waitFor();
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByRole('radio', { name: 'PayPal', checked: true }).waitFor();
    expect(await page.getByRole('radio', { name: 'Stripe' }).count()).toBe(0);
    await scene.connect();
    await page.context().close();
  });

  it('can read what is shown when the session has ended, and is offered nothing', async () => {
    const { token, haveAccount } = await scene.newPartner();
    await haveAccount();
    const page = await scene.open(token);
    await buttonIn(page).waitFor();
    scene.clock.now += 3_700_000;
    await page.clock.install();
    await comeBack(page);
    await page.getByText('Your session has ended').waitFor();
    expect(await paidBy(page).getByRole('button').count()).toBe(0);
    await page.getByText('Stripe cannot pay you yet').waitFor();
    scene.clock.now = Date.now();
    await page.context().close();
  });
});
