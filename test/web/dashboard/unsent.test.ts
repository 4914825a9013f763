import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createListScene, type ListScene } from './list-scene.ts';

let scene: ListScene;

beforeAll(async () => {
  scene = await createListScene();
});
afterAll(() => scene.close());

describe('what was typed and not sent', () => {
  it('stays when it is a reading that notices the end of the session', async () => {
    const page = await scene.show('/ledger');
    await page.getByRole('button', { name: 'Adjustment' }).click();
    const reason = page.getByLabel('Reason');
    await reason.fill('A long story');
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    const partner = page.getByRole('combobox', { name: 'Partner' });
    await partner.fill('an');
    const message = page.getByText('Your session has ended. Sign in in another tab');
    await message.waitFor();
    expect(await reason.inputValue()).toBe('A long story');
    await page.context().addCookies(cookies);
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await message.waitFor({ state: 'detached' });
    // without text that could be lost, the end of the session leads to the sign-in page
    await page.context().clearCookies();
    await partner.fill('anna');
    await message.waitFor();
    await page.getByRole('button', { name: 'Close' }).first().click();
    await page.getByRole('button', { name: 'Close anyway' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.context().addCookies(cookies);
  });

  it('is in a dialog that begins at the first field, and asks before it closes', async () => {
    const page = await scene.show('/partners');
    const dialog = page.getByRole('dialog');
    const question = dialog.getByText('What you typed is not saved.');
    const outside = [5, 5] as const;
    const open = () => page.getByRole('button', { name: 'New partner' }).click();
    await open();
    await page.mouse.click(...outside);
    await dialog.waitFor({ state: 'detached' });
    await open();
    await page.keyboard.type('Nora');
    const name = dialog.getByLabel('Name', { exact: true });
    expect(await name.inputValue()).toBe('Nora');
    // text is selected to beyond the dialog
    await name.hover();
    await page.mouse.down();
    await page.mouse.move(...outside);
    await page.mouse.up();
    expect([await dialog.count(), await question.count()]).toEqual([1, 0]);
    await page.mouse.click(...outside);
    await question.waitFor();
    await page.getByRole('button', { name: 'Keep it open' }).click();
    await page.keyboard.press('Escape');
    await question.waitFor();
    await name.press('End');
    await page.keyboard.type('h');
    await question.waitFor({ state: 'detached' });
    expect(await name.inputValue()).toBe('Norah');
    await page.keyboard.press('Escape');
    await question.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('is not left without a question: by a link, a shortcut, Back, a sign-out, a reload', async () => {
    const page = await scene.show('/partners');
    await page.getByRole('link', { name: 'Program' }).click();
    const description = page.getByLabel('Description', { exact: true });
    await description.fill('Half a');
    const question = page.getByRole('dialog', { name: 'Leave this page?' });
    const stay = async () => {
      await question.getByRole('button', { name: 'Stay here' }).click();
      await question.waitFor({ state: 'detached' });
      expect([new URL(page.url()).pathname, await description.inputValue()]).toEqual(['/dashboard/program', 'Half a']);
    };
    // the tabs keep their forms
    await page.getByRole('button', { name: 'Embedding' }).click();
    await page.goBack();
    expect(await question.count()).toBe(0);
    await page.getByRole('link', { name: 'Sales' }).click();
    await stay();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('ledger');
    await page.keyboard.press('Enter');
    await stay();
    // to this page, which loses nothing and is no step
    await page.keyboard.press('Control+k');
    await page.keyboard.type('program');
    await page.keyboard.press('Enter');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.goBack();
    await stay();
    await page.goBack();
    await stay();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await stay();
    await page.route('**/api/session', (route) => route.abort());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await question.getByRole('button', { name: 'Leave anyway' }).click();
    await page.getByText('The server does not answer.').waitFor();
    await page.unroute('**/api/session');
    const asked: string[] = [];
    page.once('dialog', (dialog) => {
      asked.push(dialog.type());
      return dialog.dismiss();
    });
    await page.evaluate('location.reload()');
    await expect.poll(() => asked).toEqual(['beforeunload']);
    expect(await description.inputValue()).toBe('Half a');
    await page.goBack();
    await question.getByRole('button', { name: 'Leave anyway' }).click();
    await page.getByRole('heading', { name: 'Partners' }).waitFor();
    expect(scene.problems).toEqual([]);
  });

  it('is not sent later when it could not be sent offline, and says so at once', async () => {
    const { app, ana } = scene;
    await app.call('POST', `/api/partners/${ana.partnerId}/archive`);
    const page = await scene.show('/ledger');
    await page.getByRole('button', { name: 'Adjustment' }).click();
    // whoever has left may still be owed something
    await page.getByRole('combobox', { name: 'Partner' }).fill('ana');
    await page.getByRole('option', { name: 'Ana' }).click();
    await page.getByLabel('Amount').fill('12.00');
    await page.getByLabel('Currency').fill(' usd ');
    await page.getByLabel('Reason').fill('Bonus');
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.method()));
    await page.context().setOffline(true);
    await page.getByRole('button', { name: 'Add the adjustment' }).click();
    await page.getByText('This may have been created nevertheless: look before you try again.').waitFor();
    await page.getByRole('button', { name: 'Close' }).first().click();
    await page.getByRole('button', { name: 'Close anyway' }).click();
    await page.context().setOffline(false);
    await page.evaluate("fetch('/api/session')");
    expect(sent.filter((method) => method === 'POST')).toHaveLength(1);
    expect(await scene.listOf('/api/ledger?kind=adjustment')).toEqual([]);
    await app.call('POST', `/api/partners/${ana.partnerId}/unarchive`);
  });

  it('is not left without a question when it is a note beside buttons', async () => {
    const [payout] = await scene.listOf('/api/payouts?status=processing');
    const page = await scene.show(`/payouts/${payout?.id}`);
    await page.getByLabel('Note').fill('Bank reference 4711');
    await page.getByRole('link', { name: 'Sales', exact: true }).click();
    await page.getByRole('button', { name: 'Stay here' }).click();
    expect(await page.getByLabel('Note').inputValue()).toBe('Bank reference 4711');
    await page.getByRole('button', { name: 'Mark as paid' }).click();
    await page.getByRole('button', { name: 'Did the money arrive?' }).click();
    await page.getByText('Marked as paid').waitFor();
    await page.getByRole('link', { name: 'Sales', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Sales' }).waitFor();
  });

  it('is asked about when Escape closes the row that it is in', async () => {
    const page = await scene.show('/unattributed');
    await page.locator('tbody tr a').first().click();
    await page.getByRole('combobox', { name: 'Partner' }).fill('an');
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Leave anyway' }).click();
    await page.waitForURL(`${scene.app.url}/dashboard/unattributed`);
  });

  it('is asked about, too, when it is a secret that was created for the processor', async () => {
    const body = { processor: 'lemon-squeezy' };
    const { id } = (await scene.app.call('POST', '/api/webhook-endpoints', { body })).body;
    const page = await scene.show(`/connections/${id}`);
    await page.getByRole('button', { name: 'Generate one' }).click();
    await page.getByRole('link', { name: 'Sales' }).click();
    await page.getByRole('button', { name: 'Leave anyway' }).click();
    await page.getByRole('heading', { name: 'Sales' }).waitFor();
  });

  it('leaves no dialog behind that blocks the page, when Back leads to another tab', async () => {
    const page = await scene.show('/settings');
    await page.getByRole('button', { name: 'Data' }).click();
    await page.getByLabel('Customer or partner').fill('ana');
    await page.getByRole('list', { name: 'Found' }).getByRole('button').first().click();
    await page.getByRole('dialog').waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('dialog', { name: 'New API key' }).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Data' }).click();
    expect(await page.getByLabel('Customer or partner').inputValue()).toBe('ana');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('stays, and so do a new API key and a new secret, after a press beside the dialog', async () => {
    const page = await scene.show('/partners');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Operators' }).click();
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.keyboard.type('Oskar');
    // to another tab, which keeps no dialog
    await page.goBack();
    await page.getByRole('button', { name: 'Leave anyway' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    await page.keyboard.type('Shop');
    await page.keyboard.press('Enter');
    await page.getByText('Copy it now').waitFor();
    await page.mouse.click(5, 5);
    await page.getByText('The key is not shown again.').waitFor();
    await page.goBack();
    await page.getByRole('dialog', { name: 'Leave this page?' }).getByText('The key is not shown again.').waitFor();
    await page.getByRole('button', { name: 'Stay here' }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    await scene.show('/connections');
    await page.getByRole('button', { name: 'Add an endpoint' }).click();
    await page.keyboard.type('https://events.example.com/refbridge');
    await page.keyboard.press('Enter');
    await page.getByText('Copy it now').waitFor();
    await page.mouse.click(5, 5);
    await page.getByText('The secret is not shown again.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.getByText('events.example.com').click();
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('button', { name: 'Replace the secret?' }).click();
    await page.getByText('Copy the new secret now').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('The new secret is not shown again.').waitFor();
    await page.getByRole('button', { name: 'Close anyway' }).click();
    await page.locator('dialog').waitFor({ state: 'detached' });
  });
});
