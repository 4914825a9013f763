import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditOf, createListScene, type ListScene } from './list-scene.ts';

let scene: ListScene;

beforeAll(async () => {
  scene = await createListScene();
}, 60_000);
afterAll(() => scene.close());
beforeEach(async () => {
  const page = await scene.show('/sales');
  await page.setViewportSize({ width: 390, height: 844 });
});

describe('on a phone, a row of a list', { timeout: 60_000 }, () => {
  it.each([
    ['/sales', ['Customer', 'Amount'], /^user_\d+/],
    ['/payouts', ['Partner', 'Amount'], /^(Ana|Ben)$/],
    ['/deliveries', ['Event', 'Outcome'], /^checkout\.session\.completed$/],
    ['/', ['Customer', 'Amount'], /^user_\d+/],
  ])('of %s leads with its name, which opens it', async (address, head, name) => {
    const page = await scene.show(address);
    expect(await page.locator('table[aria-busy] th').allTextContents()).toEqual(head);
    const link = page.locator('table[aria-busy] tbody tr').first().getByRole('link').first();
    expect(await link.textContent()).toMatch(name);
    await link.click();
    await page.locator('main dl').first().waitFor();
  });

  it('has the amount beside the name, and the time, the partner and the state on a second line', async () => {
    const page = await scene.show('/sales?search=');
    const row = page.locator('tbody tr').first();
    const topOf = async (part: ReturnType<typeof row.locator>) => (await part.boundingBox())?.y ?? Number.NaN;
    const [first, amount] = [await topOf(row.getByRole('link')), await topOf(row.getByText('€7.00'))];
    expect(Math.abs(first - amount)).toBeLessThan(4);
    for (const second of [row.locator('time'), row.getByRole('button', { name: 'Ben' }), row.getByText('On hold')]) {
      expect(await topOf(second)).toBeGreaterThan(first + 12);
    }
    expect(await auditOf(page)).toEqual([]);
    expect(scene.problems).toEqual([]);
  });
});
