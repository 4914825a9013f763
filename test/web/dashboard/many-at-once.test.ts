import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sell } from '../../helpers/earning.ts';
import { invite } from '../../helpers/operators.ts';
import { createReferrer } from '../../helpers/story.ts';
import { auditOf, createListScene, type ListScene, PARKED, textOf } from './list-scene.ts';
import { visitDashboard } from './visit.ts';

let scene: ListScene;
beforeAll(async () => {
  scene = await createListScene();
});
afterAll(() => scene.close());

describe('selected rows', () => {
  it('are impossible for somebody who may only read', async () => {
    const { code } = await invite(scene.app, 'viewer');
    const { page, leave } = await visitDashboard(scene.browser, `${scene.app.url}/dashboard/sign-in#code=${code}`);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto(`${scene.app.url}/dashboard/unattributed`);
    await page.locator('tbody a').first().waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await leave();
  });

  it('can be a range by Shift or by the keys, and are cleared with Escape', async () => {
    const page = await scene.show('/unattributed');
    const boxes = page.locator('tbody input[type="checkbox"]');
    await boxes.nth(1).click();
    await boxes.nth(4).click({ modifiers: ['Shift'] });
    expect(await textOf(page, 'Selection')).toMatch(/^4 payments selected\$22\.00/);
    await page.keyboard.press('Escape');
    await page.getByRole('region', { name: 'Selection' }).waitFor({ state: 'detached' });
    await page.locator('tbody a').first().focus();
    await page.keyboard.press('x');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Shift+X');
    await expect.poll(() => textOf(page, 'Selection')).toMatch(/^3 payments selected\$21\.00/);
    await page.keyboard.press('x');
    await expect.poll(() => textOf(page, 'Selection')).toMatch(/^2 payments selected\$15\.00/);
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await expect.poll(() => textOf(page, 'Selection')).toMatch(/^8 payments selected\$36\.00/);
    expect(await auditOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  it('have their actions one key away, also behind all rows of the list', async () => {
    const page = await scene.show('/unattributed');
    const focused = () => page.evaluate('document.activeElement.textContent');
    await page.keyboard.press('a');
    expect(await focused()).not.toBe('Attribute to a partner');
    await page.getByRole('checkbox', { name: 'Select all' }).press('Space');
    await page.getByRole('region', { name: 'Selection' }).waitFor();
    await page.keyboard.press('a');
    expect(await focused()).toBe('Attribute to a partner');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('combobox').pressSequentially('a');
    expect(await page.getByRole('dialog').getByRole('combobox').inputValue()).toBe('a');
  });

  it('are attributed together; failed ones say why, stay selected, and can be retried', async () => {
    const page = await scene.show('/unattributed');
    const [first = { id: '' }] = await scene.listOf('/api/parked-payments');
    const address = `**/api/parked-payments/${first.id}/attribute`;
    const error = { code: 'UNAVAILABLE', message: 'The database is full.' };
    await page.route(address, (route) => route.fulfill({ status: 503, json: { error } }));
    await page.getByRole('checkbox', { name: 'Select all' }).press('Space');
    const attribute = async () => {
      await page.getByRole('button', { name: 'Attribute to a partner' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('combobox').pressSequentially('Ana');
      await dialog.getByRole('option', { name: /Ana/ }).waitFor();
      await page.keyboard.press('Enter');
      expect(await auditOf(page, ['color-contrast', 'aria-valid-attr-value', 'label', 'button-name'])).toEqual([]);
      await dialog.getByRole('button', { name: 'Attribute to a partner' }).click();
    };
    await attribute();
    await page.getByText('7 payments attributed, 1 failed and is still selected.').waitFor();
    expect(await page.getByRole('list', { name: 'What failed' }).textContent()).toContain(error.message);
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(await page.locator('tbody input:checked').count()).toBe(1);
    expect(await scene.listOf('/api/parked-payments')).toHaveLength(1);
    expect(await auditOf(page)).toEqual([]);
    await page.unroute(address);
    await attribute();
    await page.getByText('No payment is waiting').waitFor();
    await page.getByText('1 payment attributed.').waitFor();
    const sales = await scene.listOf(`/api/sales?partnerId=${scene.ana.partnerId}&limit=100`);
    expect(sales).toHaveLength(5 + PARKED);
    expect(await textOf(page, 'Selection')).not.toContain('selected');
  });

  it('of payouts are marked as paid with one note, after a dialog shows how many and what', async () => {
    const page = await scene.show('/payouts?status=processing');
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Mark as paid' }).click();
    const dialog = page.getByRole('dialog', { name: 'Mark 2 payouts as paid?' });
    expect(await dialog.textContent()).toContain('Total: $29.40');
    await dialog.getByLabel('Note').fill('Batch 7');
    await dialog.getByRole('button', { name: 'Mark as paid' }).click();
    await page.getByText('2 payouts marked as paid.').waitFor();
    expect(await scene.listOf('/api/payouts?status=paid')).toMatchObject([{ note: 'Batch 7' }, { note: 'Batch 7' }]);
  });

  it('under review are rejected together, with one reason in the story of each', async () => {
    const { app } = scene;
    await app.call('PATCH', `/api/programs/${app.programId}`, { body: { selfReferral: 'flag' } });
    const email = 'paula@example.com';
    const paula = await createReferrer(app, { name: 'Paula', email });
    const ids = [await sell(app, paula, { customerEmail: email }), await sell(app, paula, { customerEmail: email })];
    const page = await scene.show('/sales?review=flagged');
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Reject' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reject 2 sales?' });
    await dialog.getByLabel('Reason').fill('Their own card');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('2 sales rejected.').waitFor();
    await page.getByText('Nothing matches these filters').waitFor();
    for (const id of ids) {
      const { body } = await app.call('GET', `/api/sales/${id}`);
      expect([body.review, JSON.stringify(body.attribution.steps)]).toEqual([
        'rejected',
        expect.stringContaining('Their own card'),
      ]);
    }
    // one alone is rejected after a question, too
    const id = await sell(app, paula, { customerEmail: email });
    const reviewOf = async () => (await app.call('GET', `/api/sales/${id}`)).body.review;
    await page.goto(`${app.url}/dashboard/sales/${id}`);
    const detail = page.getByRole('region', { name: 'Sale', exact: true });
    await detail.getByRole('button', { name: 'Reject' }).click();
    // the second press of a double click would not count
    await page.waitForTimeout(600);
    expect(await reviewOf()).toBe('flagged');
    await page.getByRole('button', { name: 'Reverse its commission?' }).click();
    await expect.poll(reviewOf).toBe('rejected');
    await page.getByText('Rejected by Olga Owner').waitFor();
    // its state, and how it was reviewed
    await expect.poll(() => detail.getByText('Rejected', { exact: true }).count()).toBe(2);
  });

  it('of dead deliveries are processed again; one that fails again says why', async () => {
    const [first = { id: '' }, second = first] = await scene.listOf('/api/deliveries');
    await scene.app.service.database.write((tx) =>
      tx.run("UPDATE deliveries SET status = 'dead', outcome = 'failed' WHERE id IN (@first, @second)", {
        first: first.id,
        second: second.id,
      }),
    );
    const page = await scene.show('/deliveries?status=dead');
    await page.route(`**/api/deliveries/${first.id}/retry`, (route) =>
      route.fulfill({ json: { received: true, outcome: 'failed' } }),
    );
    await page.route(`**/api/deliveries/${first.id}`, (route) =>
      route.fulfill({ json: { ...first, reason: 'Its amount is no number' } }),
    );
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Process again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Process again' }).click();
    await page.getByText('1 delivery processed, 1 failed and is still selected.').waitFor();
    expect(await page.getByRole('list', { name: 'What failed' }).textContent()).toContain('Its amount is no number');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    expect(await scene.listOf('/api/deliveries?status=dead')).toMatchObject([{ id: first.id }]);
    await page.unrouteAll();
  });

  it('are not needed for one delivery; when it fails again, that is no success', async () => {
    const [{ id } = { id: '' }] = await scene.listOf('/api/deliveries?status=dead');
    const { page } = scene;
    await page.route(`**/api/deliveries/${id}/retry`, (route) =>
      route.fulfill({ json: { received: true, outcome: 'failed' } }),
    );
    await page.goto(`${scene.app.url}/dashboard/deliveries/${id}`);
    await page.getByRole('button', { name: 'Process it again' }).click();
    const message = page.getByRole('region', { name: 'Messages' }).locator('div').filter({ hasText: 'failed' });
    expect(await message.locator('svg').first().getAttribute('class')).toContain('text-destructive');
    await page.unrouteAll();
  });

  it('show their result even when the reader leaves the page meanwhile', async () => {
    const [{ id } = { id: '' }] = await scene.listOf('/api/deliveries?status=dead');
    const page = await scene.show('/deliveries?status=dead');
    await page.route(`**/api/deliveries/${id}/retry`, async (route) => {
      await page.getByRole('heading', { name: 'Sales', level: 1 }).waitFor();
      await route.fulfill({ json: { received: true, outcome: 'sale' } });
    });
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByRole('button', { name: 'Process again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Process again' }).click();
    await page.getByRole('progressbar', { name: 'Progress' }).waitFor();
    await page.getByRole('link', { name: 'Sales', exact: true }).click();
    await page.getByText('1 delivery processed', { exact: true }).waitFor();
    await page.unrouteAll();
  });

  it('pass the accessibility checks', () => {
    expect(scene.problems).toEqual([]);
  });
});
