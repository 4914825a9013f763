import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sell } from '../../helpers/earning.ts';
import { createReferrer } from '../../helpers/story.ts';
import { createBrowserApp, signInUrlOf } from './example.ts';
import { auditOf } from './list-scene.ts';
import { openScene, type Scene } from './scene.ts';
import { visitDashboard } from './visit.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene(await createBrowserApp());
});
afterAll(() => scene.close());

describe('the page', () => {
  it('of programs says what one is while there is none', async () => {
    const { page } = scene;
    await page.route('**/api/programs?*', (route) => route.fulfill({ json: { data: [], nextCursor: null } }));
    await scene.show('/program');
    await page.getByText('No program yet').waitFor();
    expect(await page.getByRole('button', { name: 'New program' }).count()).toBe(1);
    expect(await auditOf(page)).toEqual([]);
    await page.unroute('**/api/programs?*');
  });

  it('of a connection pulses while it waits, except where reduced motion is asked for', async () => {
    const { page } = scene;
    const body = { processor: 'stripe', secrets: ['whsec_dGVzdA=='] };
    const { id } = (await scene.app.call('POST', '/api/webhook-endpoints', { body })).body;
    await scene.show(`/connections/${id}`);
    await page.getByText('Waiting…').waitFor();
    const pulses = () => page.evaluate('document.getAnimations().filter((one) => one instanceof CSSAnimation).length');
    expect(await pulses()).toBe(1);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await pulses()).toBe(0);
    await page.emulateMedia({ reducedMotion: null });
  });

  it('of a partner shows which links are archived, and where the others are', async () => {
    const { page } = scene;
    const { partnerId } = await createReferrer(scene.app, { name: 'Mina' });
    for (let n = 0; n < 51; n += 1) {
      const body = { partnerId, url: 'https://shop.example.com/', key: `mina-${n}x` };
      const { id } = (await scene.app.call('POST', '/api/links', { body })).body;
      if (n === 50) await scene.app.call('POST', `/api/links/${id}/archive`);
    }
    await scene.show(`/partners/${partnerId}`);
    const [archived, used] = ['/mina-50x', '/mina-49x'].map((key) =>
      page.getByRole('listitem').filter({ hasText: key }),
    );
    await archived?.getByText('Archived').waitFor();
    expect(await archived?.getByRole('button').count()).toBe(0);
    expect(await used?.getByRole('button', { name: 'Copy the link' }).count()).toBe(1);
    await page.getByRole('link', { name: 'All of them' }).click();
    await page.getByRole('row', { name: /\/mina-50x/ }).waitFor();
  });

  it('of a link calls its commission what the list and the other pages call it', async () => {
    const { page } = scene;
    const referrer = await createReferrer(scene.app, { name: 'Nora' });
    await sell(scene.app, referrer, { amount: 12_300 });
    await page.setViewportSize({ width: 1440, height: 900 });
    await scene.show(`/links?partnerId=${referrer.partnerId}`);
    const listed = page.getByRole('cell').filter({ hasText: '24.60' });
    await listed.waitFor();
    const headings = await page.getByRole('columnheader').allInnerTexts();
    const cells = await page.getByRole('row').nth(1).getByRole('cell').allInnerTexts();
    expect(headings[cells.indexOf((await listed.textContent()) ?? '')]).toBe('Commission');
    await scene.show(`/links/${referrer.linkId}`);
    const factOf = (name: string) => page.locator('dt', { hasText: name }).locator('+ dd').textContent();
    expect(await factOf('Commission')).toContain('24.60');
    expect(await factOf('Earns')).toBe("The partner's terms");
  });

  it('of a program is that of the address, or of none; another one keeps the tab', async () => {
    const { page } = scene;
    const create = async (name: string) => (await scene.app.call('POST', '/api/programs', { body: { name } })).body;
    await create('Second');
    await scene.show('/program/prg_gone?tab=links');
    await page.getByText('There is no program at this address').waitFor();
    expect(await page.getByLabel('First link of a new partner').count()).toBe(0);
    await page.getByRole('navigation', { name: 'Programs' }).getByRole('link', { name: 'Second' }).click();
    await page.getByLabel('First link of a new partner').waitFor();
    // many are a list
    for (const name of ['Third', 'Fourth', 'Fifth', 'Sixth', 'Seventh']) await create(name);
    await page.reload();
    await page.getByLabel('Which program').selectOption('Fifth');
    await page.getByLabel('First link of a new partner').waitFor();
    await page.getByRole('button', { name: 'Terms' }).click();
    expect(await page.getByLabel('Name').inputValue()).toBe('Fifth');
    // and so they are for a new partner, whose form waits for them
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/programs?*', (route) => released.then(() => route.continue()));
    await scene.show('/partners');
    await page.getByRole('button', { name: 'New partner' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Pia');
    await page.getByLabel('E-mail address').fill('pia@example.com');
    const enroll = page.getByRole('button', { name: 'Enroll the partner' });
    expect(await enroll.isDisabled()).toBe(true);
    release();
    const program = page.getByLabel('Program', { exact: true });
    await program.waitFor();
    expect(await enroll.isDisabled()).toBe(true);
    await program.selectOption('Fifth');
    await enroll.click();
    await page.unroute('**/api/programs?*');
    const facts = page.getByRole('region', { name: 'Partner', exact: true }).locator('dl').first();
    await facts.getByText('Fifth', { exact: true }).waitFor();
  });

  it('of partners sends the form of a new one also when the programs cannot be fetched', async () => {
    const { page } = scene;
    await page.route('**/api/programs?*', (route) => route.fulfill({ status: 500, json: {} }));
    await scene.show('/partners');
    await page.getByRole('button', { name: 'New partner' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Quinn');
    await page.getByLabel('E-mail address').fill('quinn@example.com');
    await page.getByRole('button', { name: 'Enroll the partner' }).click();
    await page.getByRole('alert').getByText('programId').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Quinn');
    await page.unroute('**/api/programs?*');
  });

  it('of a program follows what somebody else saves, unless something is typed', async () => {
    const { app, browser } = scene;
    const { page, leave } = await visitDashboard(browser, await signInUrlOf(app));
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.clock.install();
    const path = `/api/programs/${app.programId}`;
    await page.goto(`${app.url}/dashboard/program/${app.programId}`);
    const days = page.getByLabel('Days on hold');
    await days.waitFor();
    const returnAfter = async (body: object, event = 'visibilitychange') => {
      await app.call('PATCH', path, { body });
      await page.clock.fastForward(60_000);
      const [answer] = await Promise.all([
        page.waitForResponse('**/api/programs?*'),
        page.evaluate(`dispatchEvent(new Event('${event}'))`),
      ]);
      await answer.finished();
    };
    // from another window, also from one beside the browser's
    await returnAfter({ holdDays: 45 });
    await expect.poll(() => days.inputValue()).toBe('45');
    await days.fill('50');
    await returnAfter({ holdDays: 46 }, 'focus');
    await page.getByRole('button', { name: 'Save the terms' }).click();
    await page.getByText('Sales from now on follow these terms').waitFor();
    expect([await days.inputValue(), (await app.call('GET', path)).body.holdDays]).toEqual(['50', 50]);
    // what is typed while it is sent stays
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(`**${path}`, (route) => released.then(() => route.continue()));
    await days.fill('51');
    await page.getByRole('button', { name: 'Save the terms' }).click();
    await page.getByLabel('Description').fill('For friends');
    // everything is read again once it is saved
    const [answer] = await Promise.all([page.waitForResponse('**/api/programs?*'), release()]);
    await answer.finished();
    expect([await days.inputValue(), await page.getByLabel('Description').inputValue()]).toEqual(['51', 'For friends']);
    await page.clock.runFor(1_000);
    await page.getByRole('link', { name: 'Sales' }).click();
    await page.getByRole('button', { name: 'Leave anyway' }).click();
    for (const [tab, label, body, text] of [
      ['links', 'Links that do not exist', { deadLinkUrl: 'https://shop.example.com/' }, 'https://shop.example.com/'],
      ['portal', 'Title', { portal: { theme: { title: 'Friends' } } }, 'Friends'],
      ['origins', 'Parameters that name a link', { viaParameters: ['ref'] }, 'ref'],
    ] as const) {
      await page.goto(`${app.url}/dashboard/program/${app.programId}?tab=${tab}`);
      const field = page.getByRole('textbox', { name: label });
      await field.waitFor();
      await returnAfter(body);
      await expect.poll(() => field.inputValue()).toBe(text);
    }
    await leave();
  });

  it('of an outgoing webhook saves only what was changed there', async () => {
    const { app, page } = scene;
    const body = { url: 'https://events.example.com/old', description: null };
    const { id } = (await app.call('POST', '/api/event-endpoints', { body })).body;
    await scene.show(`/connections?outgoing=${id}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Change', exact: true }).click();
    const url = 'https://events.example.com/new';
    await app.call('PATCH', `/api/event-endpoints/${id}`, { body: { url } });
    await dialog.getByLabel('Description').fill('For the shop');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const { body: saved } = await app.call('GET', `/api/event-endpoints/${id}`);
    expect(saved).toMatchObject({ url, description: 'For the shop' });
  });

  it('creates a program, and shows its other terms', async () => {
    const { page } = scene;
    await scene.show('/program');
    await page.getByRole('button', { name: 'New program' }).click();
    await page.keyboard.type('Agencies');
    let missing = 0;
    await page.route('**/api/programs?*', async (route) => {
      await page.waitForTimeout(200);
      missing += await page.getByText('There is no program').count();
      await route.continue();
    });
    await page.getByRole('dialog').getByLabel('Percent').fill('35');
    await page.keyboard.press('Enter');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Agencies');
    expect(missing).toBe(0);
    await page.unroute('**/api/programs?*');
    const id = page.url().split('/').at(-1);
    expect((await scene.app.call('GET', `/api/programs/${id}`)).body).toMatchObject({
      name: 'Agencies',
      commission: { type: 'percentage', rateBasisPoints: 3_500 },
    });
    await scene.show('/settings?tab=log');
    await page
      .getByRole('row', { name: /program\.create/ })
      .filter({ hasText: 'Olga Owner' })
      .first()
      .waitFor();
  });
});
