import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEndpoint } from '../../helpers/story.ts';
import { checkoutCompleted } from '../../helpers/stripe-payloads.ts';
import { signInUrlOf } from './example.ts';
import { createListScene, type ListScene } from './list-scene.ts';
import { visitDashboard } from './visit.ts';

let scene: ListScene;

beforeAll(async () => {
  scene = await createListScene();
});
afterAll(() => scene.close());

/** Collects what the content of a page was, one after the other. */
const NOTE_CONTENTS = `globalThis.contents = [];
  new MutationObserver(() => {
    const text = document.querySelector('#content')?.textContent;
    if (text !== undefined && text !== contents.at(-1)) contents.push(text);
  }).observe(document, { subtree: true, childList: true });`;

const open = (address: string) => scene.page.goto(`${scene.app.url}/dashboard${address}`);

describe('an address of the dashboard', () => {
  it.each([
    ['/settings?tab=gone', 'API keys'],
    ['/program?tab=gone', 'Terms'],
  ])('%s, with a tab that does not exist, shows the first one', async (address, tab) => {
    await open(address);
    expect(await scene.page.getByRole('button', { name: tab, exact: true }).getAttribute('aria-current')).toBe('true');
  });

  it('of a filtered list on a tab loses its filters at once, and gets them back with one step', async () => {
    const { page } = scene;
    await open('/settings?tab=log&operatorId=nobody&action=link.create');
    const filtered = page.url();
    await page.getByRole('button', { name: 'Show everything' }).click();
    await expect.poll(() => page.url()).toBe(`${scene.app.url}/dashboard/settings?tab=log`);
    await page.goBack();
    expect(page.url()).toBe(filtered);
  });

  it.each([
    ['/sales?status=gone&period=year', ['status'], '/sales?period=year'],
    ['/deliveries?outcome=gone&processor=strip&saleId=none', ['outcome', 'processor'], '/deliveries?saleId=none'],
    ['/links?archived=perhaps', ['archived'], '/links'],
    ['/payouts?period=soon', ['period'], '/payouts'],
    ['/ledger?period=2026-11-15..2026-11-01&partnerId=all', ['period'], '/ledger?partnerId=all'],
    ['/customers?period=2026-11-01', ['period'], '/customers'],
  ])('%s names the filters that cannot be, and clears them alone', async (address, names, cleared) => {
    await open(address);
    const problem = scene.page.getByRole('alert').filter({ hasText: 'not valid' });
    const text = await problem.textContent();
    for (const name of names) expect(text).toContain(`${name}: must be one of`);
    expect(await problem.getByRole('button').allInnerTexts()).toEqual([
      names.length === 1 ? 'Clear this filter' : 'Clear these filters',
    ]);
    // no sums that never come
    expect(await scene.page.getByRole('region', { name: 'Totals' }).count()).toBe(0);
    await problem.getByRole('button').click();
    await problem.waitFor({ state: 'detached' });
    expect(scene.page.url()).toBe(`${scene.app.url}/dashboard${cleared}`);
    expect(await scene.page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('of a link shows it, whatever period stands there', async () => {
    const [{ id } = { id: '' }] = await scene.listOf('/api/links');
    await open(`/links/${id}?period=soon`);
    await scene.page.getByText('Leads to').waitFor();
  });

  it.each([
    ['/api/parked-payments', 'unattributed'],
    ['/api/webhook-endpoints', 'connections'],
    ['/api/programs', 'program'],
  ])('is found by an id of %s', async (list, path) => {
    const [{ id } = { id: '' }] = await scene.listOf(list);
    const { page } = scene;
    await open('/sales');
    await page.getByRole('heading', { name: 'Sales' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type(id);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${scene.app.url}/dashboard/${path}/${id}`);
  });

  it('shows that its page is on the way', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { page } = scene;
    await open('/sales');
    await page.route('**/assets/links-*.js', (route) => released.then(() => route.continue()));
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await page.getByText('Loading…').waitFor();
    expect(await page.title()).toBe('Links · Refbridge');
    await expect.poll(() => page.evaluate("getComputedStyle(document.querySelector('main p')).opacity")).toBe('1');
    release();
    await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor();
  });

  it.each([
    ['the overview', '/', '**/api/{overview,statistics*}', 'Owed to partners'],
    ['the program', '/program', '**/api/programs*', 'Days on hold'],
  ])('of %s shows that its content is on the way, however long that takes', async (_, address, late, shown) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { page } = scene;
    await page.route(late, (route) => released.then(() => route.continue()));
    await page.goto(`${scene.app.url}/dashboard${address}`);
    await page.getByText('Loading…').waitFor();
    release();
    await page.getByText(shown).waitFor();
    expect(await page.getByText('Loading…').count()).toBe(0);
    await page.unrouteAll();
  });

  it('opens a page although the server did not answer while the pointer was on its link', async () => {
    const { page } = scene;
    await open('/sales');
    const link = page.getByRole('link', { name: 'Links', exact: true });
    await page.route('**/assets/links-*.js', (route) => route.abort());
    await link.hover();
    await page.evaluate('new Promise(requestAnimationFrame)');
    await page.unroute('**/assets/links-*.js');
    await link.click();
    await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor();
  });

  it('offers to load its page again when it got half of its file', async () => {
    const { page } = scene;
    await open('/sales');
    await page.route('**/assets/links-*.js', async (route) => {
      const file = await (await route.fetch()).text();
      await route.fulfill({ contentType: 'text/javascript', body: file.slice(0, 800) });
    });
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await page.getByText('A part of the dashboard could not be loaded').waitFor();
    await page.unroute('**/assets/links-*.js');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor();
  });

  it('keeps the dashboard without a connection, and shows its page once that is back', async () => {
    // a browser that has no file of it yet
    const { page, leave } = await visitDashboard(scene.browser, await signInUrlOf(scene.app));
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    const problem = page.getByRole('alert').getByText('The server cannot be reached.');
    await problem.waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.evaluate('new Promise((done) => setTimeout(done, 200))');
    await problem.waitFor();
    await page.context().setOffline(false);
    await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor();
    await leave();
  });

  it('is left with one step back, however often its link was pressed', async () => {
    const { page } = scene;
    await open('/sales');
    await page.getByRole('link', { name: 'Links', exact: true }).dblclick();
    await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
  });

  it('that has no page is also in the title of the tab', async () => {
    const { page } = scene;
    await open('/sales');
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    await page.evaluate("history.pushState(null, '', '/dashboard/gone')");
    await page.getByRole('heading', { name: 'There is no page at this address' }).waitFor();
    expect(await page.title()).toBe('Not found · Refbridge');
  });

  it.each([
    ['', 'overview', 'Overview'],
    ['/links', 'links', 'Links'],
  ])(
    '(%s) shows its page without a placeholder, because it is loaded before it is known who is signed in',
    async (address, file, name) => {
      const { page } = scene;
      await page.addInitScript(NOTE_CONTENTS);
      const isLoaded = page.waitForEvent('requestfinished', (request) => request.url().includes(`/assets/${file}-`));
      await page.route('**/api/session', (route) => isLoaded.then(() => route.continue()));
      await open(address);
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page.unroute('**/api/session');
      expect(await page.evaluate('contents[0]')).toMatch(new RegExp(`^${name}`));
    },
  );

  it('of a customer that was mistyped says so beside the list', async () => {
    await open('/customers/100%');
    await scene.page.getByRole('alert').getByText('100%').waitFor();
  });

  it('is not offered for a guest, who has no page', async () => {
    const stripe = await createEndpoint(scene.app, 'stripe');
    const { data, ...event } = checkoutCompleted({});
    const metadata = { svc_id: await scene.ana.click() };
    await stripe.deliver({ ...event, data: { object: { ...data.object, metadata } } });
    const page = await scene.show('/customers');
    const row = page.getByRole('row', { name: 'Mia Example' });
    expect(await row.getByRole('link').allTextContents()).toEqual(['Ana']);
  });
});
