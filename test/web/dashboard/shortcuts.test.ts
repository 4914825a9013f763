import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createListScene, type ListScene } from './list-scene.ts';

let scene: ListScene;

beforeAll(async () => {
  scene = await createListScene();
});
afterAll(() => scene.close());

/** Presses every shortcut of a single key, from outside of any field, and says what had an effect. */
async function effects(page: Page, before = ''): Promise<string[]> {
  const found: string[] = [];
  // a closed dialog gives the focus back a moment later
  await page.waitForTimeout(250);
  for (const key of ['j', 'k', 'x', 'a', '/', '?']) {
    await page.evaluate('document.activeElement.blur()');
    if (key === 'a') await page.getByRole('checkbox').nth(1).check();
    const seen = () =>
      page.evaluate(
        'document.activeElement.outerHTML.slice(0, 200) + document.querySelectorAll("dialog, :checked").length',
      );
    if (key === 'x' || key === 'k') await page.locator('tbody tr').nth(1).getByRole('link').first().focus();
    const was = await seen();
    await page.keyboard.press(before + key);
    if ((await seen()) !== was) found.push(key);
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
  }
  return found;
}

const help = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' });

describe('shortcuts of a single key', () => {
  it('do nothing with a modifier, while somebody types, or in a dialog', async () => {
    const page = await scene.show('/unattributed');
    expect(await effects(page)).toEqual(['j', 'k', 'x', 'a', '/', '?']);
    expect(await effects(page, 'Alt+')).toEqual([]);
    // it goes anywhere
    for (const modifier of ['Control+', 'Meta+']) expect(await effects(page, modifier)).toEqual(['k']);
    await scene.show('/partners');
    const search = page.getByRole('searchbox');
    await search.focus();
    await page.keyboard.type('jkxa/?');
    expect(await search.inputValue()).toBe('jkxa/?');
    await search.fill('');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('jkxa/?');
    expect(await page.getByRole('combobox', { name: 'Go to' }).inputValue()).toBe('jkxa/?');
    await page.keyboard.press('Escape');
    expect(await help(page).count()).toBe(0);
  });

  it('are switched off in this browser, and on again, where they are listed', async () => {
    const page = await scene.show('/unattributed');
    await page.keyboard.press('?');
    const keys = page.getByRole('checkbox', { name: 'Single-key shortcuts' });
    await keys.uncheck();
    await help(page).getByRole('button', { name: 'Close' }).click();
    await help(page).waitFor({ state: 'detached' });
    expect(await effects(page)).toEqual([]);
    await scene.show('/unattributed');
    expect(await effects(page)).toEqual([]);
    const open = page.getByRole('button', { name: 'Shortcuts' });
    await open.press('Enter');
    expect(await keys.isChecked()).toBe(false);
    // the others still work
    await page.keyboard.press('Escape');
    await help(page).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.title')).toBe('Shortcuts');
    await page.keyboard.press('Control+k');
    const goTo = page.getByRole('combobox', { name: 'Go to' });
    await goTo.waitFor();
    await page.keyboard.press('Escape');
    await goTo.waitFor({ state: 'detached' });
    await open.press('Enter');
    await keys.check();
    await page.keyboard.press('Escape');
    await help(page).waitFor({ state: 'detached' });
    await scene.show('/unattributed');
    expect(await effects(page)).toEqual(['j', 'k', 'x', 'a', '/', '?']);
    expect(scene.problems).toEqual([]);
  });
});
