import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createOperator } from '../../helpers/operators.ts';
import { checkoutCompleted } from '../../helpers/stripe-payloads.ts';
import { accessibilityProblems } from '../reference/visit.ts';
import { auditOf } from './list-scene.ts';
import { BOOK, createReconcileScene, LOOK, type ReconcileScene } from './reconcile-scene.ts';

const TOKEN = 'rk_live_of_a_test';

let scene: ReconcileScene;
let page: Page;
let button: ReconcileScene['button'];
let shown: ReconcileScene['shown'];

beforeAll(async () => {
  scene = await createReconcileScene();
  ({ page, button, shown } = scene);
});
afterAll(() => scene.close());

describe('a connection whose processor has no list of the past', () => {
  it('says so, and offers nothing', async () => {
    const body = { processor: 'revenuecat', secrets: ['whsec_x'] };
    const { id } = (await scene.app.call('POST', '/api/webhook-endpoints', { body })).body;
    await scene.show(`/connections/${id}`);
    await shown('RevenueCat has no list of past purchases');
    expect(await page.getByLabel('Access token').count()).toBe(0);
    expect(await button(LOOK).count()).toBe(0);
  });
});

describe('the access token of a connection', () => {
  it('is described, refused when it is another secret, saved, replaced and removed, but never shown again', async () => {
    await scene.open();
    const field = page.getByLabel('Access token');
    await shown(
      'A restricted key, rk_live_… (Developers → API keys → Create restricted key). It needs the permission Read',
    );
    expect(await field.getAttribute('type')).toBe('password');
    expect(await auditOf(page)).toEqual([]);
    await field.fill('whsec_of_the_endpoint');
    await button('Save it').click();
    await shown('set a restricted key (rk_live_…) instead');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await field.fill(` ${TOKEN} `);
    await button('Save it').click();
    await shown('The access token is set.');
    await button(LOOK).waitFor();
    expect(await page.content()).not.toContain(TOKEN);
    expect((await scene.app.call('GET', '/api/audit-log')).text).not.toContain(TOKEN);
    await button('Replace it').click();
    expect(await field.inputValue()).toBe('');
    await field.fill('rk_live_another');
    await button('Save it').click();
    await field.waitFor({ state: 'detached' });
    await button('Remove it').click();
    await button('Remove the access token?').click();
    await field.waitFor();
    await expect.poll(() => button(LOOK).count()).toBe(0);
  });

  it('is for another address of the API, if the options name one', async () => {
    const polar = { processor: 'polar', secrets: ['whsec_x'] };
    const { id } = (await scene.app.call('POST', '/api/webhook-endpoints', { body: polar })).body;
    const address = async () => (await scene.app.call('GET', `/api/webhook-endpoints/${id}`)).body.apiUrl;
    await scene.show(`/connections/${id}`);
    const field = page.getByLabel('Address of the API');
    const summary = page.getByText('Another address of the API');
    await summary.waitFor();
    expect(await field.isVisible()).toBe(false);
    await summary.click();
    await field.fill('ftp://sandbox-api.polar.sh');
    await button('Save').click();
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    await field.fill('https://sandbox-api.polar.sh');
    await button('Save').click();
    await expect.poll(address).toMatch(/^https:\/\/sandbox-api\.polar\.sh/);
    await scene.show(`/connections/${id}`);
    await field.waitFor();
    expect(await field.inputValue()).toMatch(/^https:\/\/sandbox-api\.polar\.sh/);
    await field.fill('');
    await button('Save').click();
    await expect.poll(address).toBeNull();
  });

  it('is asked for again with another address, which it would be sent to', async () => {
    const polar = { processor: 'polar', secrets: ['whsec_x'], accessToken: 'polar_oat_one' };
    const { id } = (await scene.app.call('POST', '/api/webhook-endpoints', { body: polar })).body;
    await scene.show(`/connections/${id}`);
    await page.getByText('Another address of the API').click();
    const token = page.getByLabel('Access token for this address');
    expect(await token.count()).toBe(0);
    await page.getByLabel('Address of the API').fill('https://sandbox-api.polar.sh');
    await token.fill('polar_oat_of_the_sandbox');
    await button('Save').click();
    await token.waitFor({ state: 'detached' });
    const { body } = await scene.app.call('GET', `/api/webhook-endpoints/${id}`);
    expect(body).toMatchObject({ apiUrl: 'https://sandbox-api.polar.sh', hasAccessToken: true });
  });
});

describe('a connection', () => {
  it('shows a viewer what was found, and offers nothing', async () => {
    await scene.setToken(TOKEN);
    scene.api.pages = [[checkoutCompleted({ amount: 300 })]];
    const id = await scene.start();
    const { cookie } = await createOperator(scene.app, 'viewer');
    const [name = '', value = ''] = cookie.split('=');
    const context = await scene.browser.newContext({ locale: 'en-US' });
    await context.addCookies([{ name, value, url: scene.app.url }]);
    const others = await context.newPage();
    await others.goto(`${scene.app.url}/dashboard/connections/${scene.stripeId}`);
    await others.getByText('Starts in a moment…').waitFor();
    await scene.work();
    await others.getByText('1 of 1 is missing: 1 payment whose customer is unknown.').waitFor();
    expect(others.url()).toContain(id);
    await others.getByRole('button', { name: 'Close', exact: true }).last().click();
    await others
      .getByRole('button', { name: /^Since.*1 missing/ })
      .first()
      .waitFor();
    for (const action of [LOOK, BOOK, 'Cancel', 'Start it again', 'Save it', 'Replace it', 'Remove it']) {
      expect(await others.getByRole('button', { name: action }).count(), action).toBe(0);
    }
    expect(await accessibilityProblems(others)).toEqual([]);
    await scene.setToken(null);
    await others.reload();
    await others.getByText('needs an access token for it, which owners and members can set.').waitFor();
    await others.getByRole('button', { name: /^Since.*1 missing/ }).click();
    await others.getByText('1 of 1 is missing').waitFor();
    await context.close();
  });

  it('causes no error in the browser', () => {
    expect(scene.problems).toEqual([]);
  });
});
