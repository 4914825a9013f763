import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allLoaded, createScene, type Scene } from './scene.ts';

let scene: Scene;
let page: Page;
beforeAll(async () => {
  scene = await createScene();
  page = await (await scene.browser.newContext({ viewport: { width: 390, height: 800 } })).newPage();
  await page.goto(scene.frameUrl(await scene.tokenFor(), { lang: 'en' }));
  await allLoaded(page);
});
afterAll(() => scene.close());

/** The elements of tables that neither look like a part of one nor say that they are one. */
const NO_PARTS = `[...document.querySelectorAll(':is(.sales, .payouts), :is(.sales, .payouts) :is(thead, tbody, tfoot, tr, th, td)')]
  .filter((part) => !getComputedStyle(part).display.startsWith('table') && part.role === null)
  .map((part) => part.tagName)`;

describe('assistive technology', () => {
  it('finds the tables of a phone, whose rows are laid out as a grid, also in browsers that go by the look', async () => {
    await page.getByRole('button', { name: 'Statement' }).first().click();
    await page.getByRole('button', { name: 'Print' }).waitFor();
    expect(await page.evaluate("getComputedStyle(document.querySelector('.sales tbody tr')).display")).toBe('grid');
    expect(await page.evaluate(NO_PARTS)).toEqual([]);
    expect(await page.getByRole('rowheader', { name: 'Total' }).count()).toBe(1);
    const [row] = await page.getByRole('table', { name: 'Sales' }).getByRole('row').all();
    expect(await row?.getByRole('columnheader').count()).toBe(5);
  });

  it('knows of which day each statement is', async () => {
    const rows = await page.locator('.payouts tr', { has: page.getByRole('button', { name: 'Statement' }) }).all();
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) {
      const date = await row.locator('.date').textContent();
      expect(await row.getByRole('button').getAttribute('aria-label')).toBe(`Statement of ${date}`);
    }
  });

  it('knows the region of the notice before there is one', async () => {
    expect(await page.getByRole('status').and(page.locator('.notice')).count()).toBe(1);
  });
});
