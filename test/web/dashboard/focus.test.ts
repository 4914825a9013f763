import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resize } from '../reference/visit.ts';
import { createListScene, fillAdjustment, type ListScene } from './list-scene.ts';

let scene: ListScene;

beforeAll(async () => {
  scene = await createListScene();
});
afterAll(() => scene.close());

/** The text of what has the focus, or the tag of the page around it. */
const focused = (page: Page) =>
  page.evaluate<string>(
    'document.activeElement.matches("main, body") ? document.activeElement.tagName : document.activeElement.textContent',
  );
/** The row of the list with the focus; the head is the first. */
const focusedRow = (page: Page) => page.evaluate('document.activeElement.closest("tr")?.ariaRowIndex');

/** What a part of the page with the focus is called. */
const nameOfFocused = (page: Page) => page.evaluate('document.activeElement.getAttribute("aria-label")');

/** Presses what has the focus, and again: the second press is no double press. */
async function pressTwice(page: Page): Promise<void> {
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.ariaDisabled')).toBe(null);
  await page.keyboard.press('Enter');
}

/** Whether the middle of what has the focus is in sight, in front of everything else. */
const IS_FOCUS_SEEN = `(() => {
  const { left, top, width, height } = document.activeElement.getBoundingClientRect();
  const seen = document.elementFromPoint(left + width / 2, top + height / 2);
  // what is only for screen readers has no place
  if (width <= 1) return true;
  return seen?.contains(document.activeElement) || document.activeElement.contains(seen);
})()`;

describe('the focus', () => {
  it.each([
    [1440, 'stays in the list beside the row'],
    [1024, 'moves to the row that replaces the list'],
    [390, 'moves to the row that replaces the list'],
  ])('at %d pixels %s, and is on it after closing', async (width, _where) => {
    const page = await scene.show('/sales');
    await resize(page, width, 400);
    await page.locator('tbody tr').nth(4).getByRole('link').first().press('Enter');
    await page.locator('main dl').first().waitFor();
    const heading = page.getByRole('region', { name: 'Sale', exact: true }).getByRole('heading', { level: 2 });
    if (width > 1280) expect(await focusedRow(page)).toBe('6');
    else expect(await focused(page)).toBe(await heading.textContent());
    expect((await heading.boundingBox())?.y).toBeGreaterThan(0);
    await page.getByRole('link', { name: 'Close' }).press('Enter');
    await expect.poll(() => focusedRow(page)).toBe('6');
    const row = await page.locator('tr:focus-within').boundingBox();
    expect((row?.y ?? -1) > 0 && (row?.y ?? 400) < 400).toBe(true);
  });

  it.each([
    [1440, 400],
    [390, 844],
    [320, 225],
  ])('at %d by %d pixels is never hidden by what stays in sight', async (width, height) => {
    const page = await scene.show('/unattributed');
    await resize(page, width, height);
    await page.getByRole('checkbox').last().check();
    await page.getByRole('button', { name: 'Clear' }).focus();
    const hidden: string[] = [];
    for (const key of ['Shift+Tab', 'Tab']) {
      for (let count = 0; count < 24; count += 1) {
        await page.keyboard.press(key);
        if (!(await page.evaluate(IS_FOCUS_SEEN))) hidden.push(`${key} ${count}: ${await focused(page)}`);
      }
    }
    expect(hidden).toEqual([]);
  });

  it('stays on the row when a phone is turned, and another column comes first', async () => {
    const page = await scene.show('/sales');
    await resize(page, 844, 390);
    await page.locator('tbody tr').nth(1).getByRole('link').first().focus();
    for (const [width, height] of [
      [390, 844],
      [844, 390],
    ] as const) {
      await resize(page, width, height);
      expect(await focusedRow(page)).toBe('3');
    }
  });

  it('is on the page that a link leads to, once the link is gone', async () => {
    const page = await scene.show('/sales');
    await resize(page, 390, 844);
    const go = async (name: string) => {
      await page.getByRole('button', { name: 'Menu' }).press('Enter');
      await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).press('Enter');
      await expect.poll(() => page.getByRole('navigation', { name: 'Pages' }).isVisible()).toBe(false);
      expect(await focused(page)).toBe('MAIN');
    };
    await go('Ledger');
    // also to the page that is shown
    await go('Ledger');
    await resize(page, 1440);
    await page.getByRole('link', { name: 'Sale', exact: true }).first().press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
    expect(await focused(page)).toBe('MAIN');
  });

  it.each(['/program', '/settings?tab=data', '/sales'])('begins at the start of %s', async (address) => {
    const { page } = scene;
    await resize(page, 1440);
    await page.goto(`${scene.app.url}/dashboard${address}`);
    await page.locator('main :is(form, table[aria-busy=false])').first().waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the content');
  });

  it('stays on a button that is busy, and returns to what opened a dialog', async () => {
    await scene.app.call('POST', '/api/partners', { body: { name: 'Tara', email: 'taken@example.com' } });
    const page = await scene.show('/partners');
    await resize(page, 1440);
    await page.getByRole('button', { name: 'New partner' }).press('Enter');
    await page.getByLabel('Name', { exact: true }).fill('Cleo');
    await page.getByLabel('E-mail address').fill('taken@example.com');
    const send = page.getByRole('button', { name: 'Enroll the partner' });
    await send.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await focused(page)).toBe('Enroll the partner');
    await page.getByLabel('E-mail address').fill('cleo@example.com');
    await page.locator('[aria-busy="true"]').waitFor({ state: 'detached' });
    await send.press('Enter');
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(await focused(page)).toBe(' New partner');
  });

  it('stays near a button that goes away because its work is done', async () => {
    const page = await scene.show('/settings');
    await page.getByRole('button', { name: 'New key' }).press('Enter');
    await page.getByLabel('Name').fill('Shop');
    await page.keyboard.press('Enter');
    await page.getByText('Copy it now').waitFor();
    await expect.poll(() => nameOfFocused(page)).toBe('New API key');
    await page.getByRole('dialog').getByRole('button', { name: 'Done' }).press('Enter');
    const row = page.getByRole('row', { name: 'Shop' });
    await row.getByRole('button', { name: 'Revoke' }).focus();
    await pressTwice(page);
    await row.getByText('Revoked').waitFor();
    await expect.poll(() => focused(page)).toBe('Revoked');
    await scene.show(`/links/${(await scene.listOf('/api/links'))[0]?.id}`);
    await page.getByRole('button', { name: 'Archive' }).focus();
    await pressTwice(page);
    await page.getByRole('button', { name: 'Restore' }).waitFor();
    await expect.poll(() => nameOfFocused(page)).toBe('Archive or delete');
    // it took the focus only for that
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Restore');
    expect(await page.getByRole('region', { name: 'Archive or delete' }).getAttribute('tabindex')).toBe(null);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Archive' }).waitFor();
    await expect.poll(() => nameOfFocused(page)).toBe('Archive or delete');
  });

  it('stays near a row that goes away, such as that of what its dialog has deleted', async () => {
    for (const path of ['kept', 'gone']) {
      await scene.app.call('POST', '/api/event-endpoints', { body: { url: `https://example.com/${path}` } });
    }
    const { page } = scene;
    await page.goto(`${scene.app.url}/dashboard/connections`);
    await page.getByRole('link', { name: 'example.com/gone' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).focus();
    await pressTwice(page);
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'example.com/gone' }).waitFor({ state: 'detached' });
    await expect.poll(() => nameOfFocused(page)).toBe('Outgoing webhooks');
  });

  it('reaches a message that appears while a dialog is open', async () => {
    const { body } = await scene.app.call('POST', '/api/event-endpoints', {
      body: { url: 'https://example.com/hook' },
    });
    const page = await scene.show('/sales');
    await page.goto(`${scene.app.url}/dashboard/connections?outgoing=${body.id}`);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    const messages = page.getByRole('dialog').getByRole('region', { name: 'Messages' });
    await messages.getByText('A test event is on its way').waitFor();
    await messages.getByRole('button', { name: 'Close' }).click();
    expect(await page.getByRole('dialog').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
  });

  it('need not be on what is new for it to be announced: its region was there before', async () => {
    const page = await scene.show('/ledger');
    await page.evaluate(`for (const region of document.querySelectorAll('[aria-live]')) region.wasThere = true`);
    await fillAdjustment(page, 'Told');
    await page.getByRole('button', { name: 'Add the adjustment' }).click();
    const isInOldRegion = (text: string) =>
      page.evaluate(`[...document.querySelectorAll('[aria-live], [role="status"]')]
        .find(({ wasThere, textContent }) => wasThere && textContent.includes('${text}')) !== undefined`);
    await page.locator('dialog').waitFor({ state: 'detached' });
    expect(await isInOldRegion('The adjustment is in the ledger')).toBe(true);
    await scene.show(`/partners/${scene.ana.partnerId}`);
    const create = page.getByRole('button', { name: 'Create a link to the portal' });
    await create.waitFor();
    await page.evaluate(`for (const region of document.querySelectorAll('[role="status"]')) region.wasThere = true`);
    await create.press('Enter');
    await page.getByText('It works once').waitFor();
    expect(await isInOldRegion('It works once')).toBe(true);
  });

  it('is not mistaken for what is chosen, which forced colors show by an outline', async () => {
    const page = await scene.show('/sales');
    await page.locator('tbody tr').first().getByRole('link').first().press('Enter');
    await page.emulateMedia({ forcedColors: 'active' });
    const outlines = 'document.querySelectorAll("[aria-current], label:has(:checked)")';
    const colors = await page.evaluate(`[...${outlines}].map((one) => getComputedStyle(one).outlineStyle)`);
    // the page, the row and the theme
    expect(colors).toEqual(['solid', 'solid', 'solid']);
    await page.emulateMedia({ forcedColors: null });
  });

  it('is on a button with an edge, also in forced colors, which leave out backgrounds', async () => {
    const page = await scene.show('/links');
    await page.emulateMedia({ forcedColors: 'active' });
    await page.getByRole('button', { name: 'New link' }).focus();
    expect(await page.evaluate('getComputedStyle(document.activeElement).border')).toMatch(/^1px solid/);
    await page.emulateMedia({ forcedColors: null });
  });

  it('keeps a question open for as long as somebody needs, and withdraws it when it leaves', async () => {
    const { page } = scene;
    await page.clock.install();
    await scene.show(`/links/${(await scene.listOf('/api/links'))[0]?.id}`);
    const ask = page.getByRole('button', { name: 'Delete' });
    await ask.press('Enter');
    await page.clock.fastForward(60_000);
    expect(await focused(page)).toBe('Delete permanently?');
    await page.keyboard.press('Shift+Tab');
    await page.clock.fastForward(5_000);
    await ask.waitFor({ timeout: 5_000 });
  });
});
