import type { Response, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepIntercepting } from '../../helpers/chromium.ts';
import { createScene, type Scene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await createScene();
});
afterAll(() => scene.close());

async function newLink(): Promise<string> {
  const { body } = await scene.app.call('POST', `/api/partners/${scene.partnerId}/portal-link`);
  return body.url.replace('https://refer.example.com', scene.app.url);
}

describe('the portal', () => {
  it('opens without a frame by the one-time code of a portal link, and stays open', async () => {
    const link = await newLink();
    const context = await scene.browser.newContext({ locale: 'en-GB' });
    const page = await context.newPage();
    await page.goto(link);
    await page.getByRole('button', { name: 'Statement' }).first().waitFor();
    expect(page.url()).toBe(`${scene.app.url}/portal`);
    await page.reload();
    await page.getByRole('button', { name: 'Statement' }).first().waitFor();
    const stranger = await (await scene.browser.newContext({ locale: 'en-GB' })).newPage();
    await stranger.goto(link);
    await stranger.getByText('The link was used or has expired').waitFor();
    await stranger.goto(await newLink());
    await stranger.getByRole('button', { name: 'Statement' }).first().waitFor();
    expect(stranger.url()).toBe(`${scene.app.url}/portal`);
    await stranger.context().close();
    // an open page notices with its next request
    await scene.app.call('DELETE', `/api/partners/${scene.partnerId}/portal-access`);
    await page.getByRole('button', { name: 'Statement' }).first().click();
    await page.getByText('Your session has ended').waitFor();
    await page.reload();
    await page.getByText('Ask for a new one').waitFor();
    await context.close();
  });

  it('does not call payment details unsaved when the answer is lost, and shows on Cancel what is stored', async () => {
    const context = await scene.browser.newContext();
    const page = await context.newPage();
    await page.goto(scene.frameUrl(await scene.tokenFor(), { lang: 'en' }));
    const save = page.getByRole('button', { name: 'Save', exact: true });
    const cancel = page.getByRole('button', { name: 'Cancel' });
    const fill = async (email: string) => {
      await page.getByRole('button', { name: /Change|Set it up/ }).click();
      await page.getByRole('radio', { name: 'PayPal' }).check();
      await page.getByLabel('E-mail address').fill(email);
    };
    await page.route('**/payout-details', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      // as the browser would say
      await route.fetch({ headers: { ...route.request().headers(), 'sec-fetch-site': 'same-origin' } });
      await route.abort();
    });
    await fill('first@example.com');
    await save.click();
    await page.getByText('It is not certain whether this was saved.').waitFor();
    await cancel.click();
    await page.getByText('f…@example.com').waitFor();
    // an answer that comes when the form was closed leaves the next one alone
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/payout-details', (route) => released.then(() => route.continue()));
    await fill('second@example.com');
    await save.click();
    await cancel.click();
    await fill('third@example.com');
    const [answer] = await Promise.all([page.waitForResponse('**/payout-details'), release()]);
    await answer.finished();
    await page.waitForTimeout(100);
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('third@example.com');
    await cancel.click();
    await page.getByText('s…@example.com').waitFor();
    // and one that is lost then is read again after the next form
    const { promise: lost, resolve: lose } = Promise.withResolvers<void>();
    await page.route('**/payout-details', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      await route.fetch({ headers: { ...route.request().headers(), 'sec-fetch-site': 'same-origin' } });
      await lost;
      await route.abort();
    });
    await fill('fourth@example.com');
    await save.click();
    await cancel.click();
    await fill('fifth@example.com');
    await Promise.all([page.waitForEvent('requestfailed'), lose()]);
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('fifth@example.com');
    await cancel.click();
    await page.getByText('f…@example.com').waitFor();
    // an answer that comes after that of a later one is not what is stored
    const { promise: overtaken, resolve: end } = Promise.withResolvers<void>();
    await page.route('**/payout-details', (route) => route.continue());
    const hold = async (route: Route) => {
      const headers = { ...route.request().headers(), 'sec-fetch-site': 'same-origin' };
      const response = await route.fetch({ headers });
      await overtaken;
      await route.fulfill({ response });
    };
    await page.route('**/payout-details', hold, { times: 1 });
    await fill('sixth@example.com');
    await save.click();
    await cancel.click();
    await fill('tenth@example.com');
    await save.click();
    await page.getByText('t…@example.com').waitFor();
    const isRead = (response: Response) => response.request().method() === 'GET';
    const [read] = await Promise.all([page.waitForResponse(isRead), end()]);
    await read.finished();
    await page.getByText('t…@example.com').waitFor();
    await context.close();
  });

  it.each(['session', 'referrals/portal-config'])(
    'opens by a portal link at the second attempt, when nothing answered for the %s',
    async (path) => {
      const context = await scene.browser.newContext({ locale: 'en-GB' });
      await keepIntercepting(context);
      const page = await context.newPage();
      await page.route(`**/api/embed/${path}`, (route) => route.abort());
      await page.goto(await newLink());
      await page.getByText('The server does not answer.').waitFor();
      await page.unroute(`**/api/embed/${path}`);
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('button', { name: 'Statement' }).first().waitFor();
      await context.close();
    },
  );
});

it('that previews a theme applies only the last one when the device changes to dark', async () => {
  const context = await scene.browser.newContext({ colorScheme: 'light' });
  const page = await context.newPage();
  await page.goto(`${scene.app.url}/dashboard/portal-preview`);
  const token = await scene.tokenFor();
  await page.evaluate(`(async () => {
    const headers = { authorization: 'Bearer ${token}' };
    const get = async (path) => (await fetch('/api/embed/referrals/' + path, { headers })).json();
    const [config, terms] = await Promise.all([get('portal-config'), get('terms')]);
    for (let count = 0; count < 3; count += 1) postMessage({ config, parts: { terms } });
  })()`);
  await page.getByRole('main').waitFor();
  await page.evaluate(`new Promise((done) => setTimeout(done));
    globalThis.changes = 0;
    new MutationObserver((all) => (changes += all.length)).observe(document.documentElement, { attributeFilter: ['data-theme'] })`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(() => page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  expect(await page.evaluate('changes')).toBe(1);
  await context.close();
});
