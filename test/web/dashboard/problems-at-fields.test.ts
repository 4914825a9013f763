import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReferrer } from '../../helpers/story.ts';
import { createBrowserApp } from './example.ts';
import { openScene, type Scene } from './scene.ts';

let scene: Scene;
let partnerId: string;
beforeAll(async () => {
  const example = await createBrowserApp();
  ({ partnerId } = await createReferrer(example.app, { name: 'Ana', email: 'ana@example.com' }));
  scene = await openScene(example);
});
afterAll(() => scene.close());

/** What is said below a field that is marked as wrong. */
async function problemAt(field: Locator): Promise<string | null> {
  await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
  return scene.page.locator(`[id="${await field.getAttribute('aria-describedby')}"]`).textContent();
}

/** Whether the refusal is there for screen readers only. */
const isRefusalHidden = async () => (await scene.page.getByRole('alert').boundingBox())?.height === 1;

describe('a form that the service refuses', () => {
  it('says each problem once, at its field', async () => {
    const { page } = scene;
    await scene.show('/program?tab=portal');
    await page.getByLabel('Logo', { exact: true }).fill('ftp://example.com/logo.svg');
    await page.getByLabel('Font').fill('x;y');
    await page.getByLabel('Colors, dark').fill('--primary: url(x);');
    await page.getByRole('button', { name: 'Save the appearance' }).click();
    expect(await problemAt(page.getByLabel('Logo', { exact: true }))).toMatch(/^Must be an absolute http/);
    expect(await problemAt(page.getByLabel('Font'))).toMatch(/^Must be a list of CSS font families/);
    expect(await problemAt(page.getByLabel('Colors, dark'))).toMatch(/^primary: must be a plain CSS value/);
    await expect.poll(isRefusalHidden).toBe(true);
    expect(await page.getByRole('alert').getByRole('listitem').count()).toBe(3);
  });

  it('lists the problems that no field shows', async () => {
    const { page } = scene;
    await scene.show('/partners');
    const details = [
      { path: 'name', message: 'must not be empty' },
      { path: 'elsewhere', message: 'must not be empty' },
      { path: 'email', message: 'must be an e-mail address' },
    ];
    const error = { code: 'VALIDATION_ERROR', message: 'name: must not be empty; …', details };
    await page.route('**/api/partners', (route) => route.fulfill({ status: 400, json: { error } }));
    await page.getByRole('button', { name: 'New partner' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Ben');
    await page.getByLabel('E-mail address').fill('ben@example.com');
    await page.getByRole('button', { name: 'Enroll the partner' }).click();
    expect(await problemAt(page.getByLabel('E-mail address'))).toBe('Must be an e-mail address');
    const listed = page.getByRole('alert').getByRole('listitem');
    const shown = async (text: string) => ((await listed.filter({ hasText: text }).boundingBox())?.height ?? 0) > 1;
    await expect.poll(() => shown('elsewhere: must not be empty')).toBe(true);
    expect(await shown('email: must be')).toBe(false);
    await page.unrouteAll();
  });

  it('says at the field that its value is taken', async () => {
    const { page } = scene;
    await scene.show('/partners');
    await page.getByRole('button', { name: 'New partner' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Ana');
    await page.getByLabel('E-mail address').fill('ana@example.com');
    await page.getByRole('button', { name: 'Enroll the partner' }).click();
    expect(await problemAt(page.getByLabel('E-mail address'))).toContain('has the address ana@example.com');
    await expect.poll(isRefusalHidden).toBe(true);
  });
});

it('a refusal names no route of the API', async () => {
  const { page } = scene;
  await scene.show(`/partners/${partnerId}`);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('button', { name: 'Delete permanently?' }).click();
  await page.getByText(/so it cannot be deleted; archive it instead$/).waitFor();
});

describe('an adjustment', () => {
  it.each([
    ['12,50', 'USD', 'Amount', 'Not an amount in USD, such as 12.50'],
    ['12.5', 'jpy', 'Amount', 'Not an amount in JPY, such as 1250'],
    ['90000000000', 'EUR', 'Amount', 'At most 10000000000.00 EUR'],
    ['12.50', 'EURO', 'Currency', 'Not a code such as USD'],
  ])('of %s %s says what is wrong with it before it is sent', async (amount, currency, label, problem) => {
    const { page } = scene;
    await scene.show('/ledger');
    await page.getByRole('button', { name: 'Adjustment' }).click();
    await page.getByRole('combobox', { name: 'Partner' }).fill('ana');
    await page.getByRole('option', { name: 'Ana' }).click();
    await page.getByLabel('Currency').fill(currency);
    await page.getByLabel('Amount').fill(amount);
    expect(await problemAt(page.getByLabel(label))).toBe(problem);
    expect(await page.locator('[aria-invalid]').count()).toBe(1);
    expect(await page.getByRole('button', { name: 'Add the adjustment' }).isDisabled()).toBe(true);
  });
});
