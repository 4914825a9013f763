import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { payoutsOf, runPayouts, sell } from '../../helpers/earning.ts';
import { hold } from '../../helpers/held-payouts.ts';
import { createReferrer } from '../../helpers/story.ts';
import { createBrowserApp } from './example.ts';
import { auditOf, textOf } from './list-scene.ts';
import { openScene, type Scene } from './scene.ts';

const DEBTOR = { name: 'Aurora GmbH', iban: 'DE02120300000000202051' };

let scene: Scene;
let page: Page;

beforeAll(async () => {
  scene = await openScene(await createBrowserApp());
  page = scene.page;
});
afterAll(() => scene.close());

const named = (name: string) => page.getByRole('button', { name, exact: true });
const statusOf = async (id: string) => (await scene.app.call('GET', `/api/payouts/${id}`)).body.status;

/** A payout to be paid, in EUR. */
async function newPayout(name: string, iban: string | null): Promise<string> {
  const { app } = scene;
  const referrer = await createReferrer(app, { name });
  const { partnerId } = referrer;
  const body = { rail: 'sepa', name, iban };
  if (iban !== null) await app.call('PUT', `/api/partners/${partnerId}/payout-details`, { body });
  await sell(app, referrer, { currency: 'eur' });
  await runPayouts(app, { at: '2100-01-01' });
  const [{ id }] = await payoutsOf(app, partnerId, 'processing');
  return id;
}

describe('payouts in the dashboard', () => {
  it('that collect nothing yet, as after a run, are listed only among those that collect', async () => {
    await newPayout('Zoe', null);
    await scene.show('/payouts');
    const rowsOfZoe = page.getByRole('row', { name: /Zoe/ });
    await expect.poll(() => rowsOfZoe.allTextContents()).toEqual([expect.stringMatching(/To be paid$/)]);
    await page.getByRole('combobox', { name: 'Status' }).selectOption('Collecting');
    await expect.poll(() => rowsOfZoe.allTextContents()).toEqual([expect.stringMatching(/€0\.00Collecting$/)]);
  });

  it('that are to be paid lead from the overview to their partner, whose own list leaves out empty ones, too', async () => {
    const id = await newPayout('Yuri', null);
    await scene.show('/');
    await page.getByRole('link', { name: 'To be paid', exact: true }).click();
    await page.getByRole('row', { name: /Yuri/ }).getByRole('link').click();
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/dashboard/payouts/${id}`);
    await page.getByRole('region', { name: 'Payout', exact: true }).getByRole('link', { name: 'Yuri' }).click();
    const partner = page.getByRole('region', { name: 'Partner', exact: true });
    await partner.getByText('To be paid', { exact: true }).waitFor();
    expect(await partner.getByText('Collecting').count()).toBe(0);
  });

  it.each([
    ['processing', 'To be paid', (count: number) => `${count} payouts to be paid`],
    ['held', 'Unclear', (count: number) => `${count} unclear payout`],
  ])('that are %s count on the overview as often and as much as in their list', async (status, line, words) => {
    await newPayout('Otto', null);
    await hold(scene.app.service, scene.app.accountId, await newPayout('Olga', null));
    const { data } = (await scene.app.call('GET', `/api/payouts?status=${status}&limit=100`)).body;
    const sum = data.reduce((total: number, { amount }: { amount: number }) => total + amount, 0);
    await scene.show('/');
    await page.getByRole('link', { name: words(data.length) }).waitFor();
    await expect.poll(() => textOf(page, 'Owed to partners')).toContain(`${line}€${(sum / 100).toFixed(2)}`);
    await page.getByRole('link', { name: line, exact: true }).click();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(data.length);
  });

  it('that a failed run did not start can be started without opening the dialog again', async () => {
    const plan = { at: '2026-11-26T00:00:00.000Z', payoutCount: 1_200, totals: [], data: [], failed: [] };
    const error = { code: 'UNAVAILABLE', message: 'The database cannot be reached.' };
    await page.route('**/api/payouts/run', (route) =>
      route.request().postDataJSON().dryRun
        ? route.fulfill({ json: plan })
        : route.fulfill({ status: 503, json: { error } }),
    );
    await scene.show('/payouts');
    await named('Run payouts').click();
    await named('Start 1,200 payouts').click();
    await page.getByRole('alert').filter({ hasText: error.message }).getByText('The run did not finish').waitFor();
    const unknown = { code: 'OUTCOME_UNKNOWN', message: 'Whether this was stored is unknown.' };
    for (const end of [
      (route: Route) => route.abort(),
      (route: Route) => route.fulfill({ status: 503, json: { error: unknown } }),
    ]) {
      await named('Try again').click();
      await named('Start 1,200 payouts').waitFor();
      await page.route('**/api/payouts/run', (route) =>
        route.request().postDataJSON().dryRun ? route.fulfill({ json: plan }) : end(route),
      );
      await named('Start 1,200 payouts').click();
      await page.getByText('The run may have finished').waitFor();
    }
    await page.unrouteAll();
  });

  it('are looked for on further pages while those of the first are hidden', async () => {
    const { data } = (await scene.app.call('GET', '/api/payouts')).body;
    const hidden = { ...data[0], id: 'pyt_hidden', status: 'queued', entryCount: 0 };
    await page.route('**/api/payouts?limit=50*', (route) =>
      route.fulfill({ json: { data: [hidden], nextCursor: 'x' } }),
    );
    await page.route('**/api/payouts?*cursor=x*', (route) => route.fulfill({ json: { data, nextCursor: null } }));
    await scene.show('/payouts');
    await page.getByRole('row', { name: /Zoe/ }).first().waitFor();
    await page.unrouteAll();
  });

  it('end only after a question, and one in a file names the file first', async () => {
    const id = await newPayout('Ana', 'DE89370400440532013000');
    await scene.show(`/payouts/${id}`);
    for (const [words, question] of [
      ['Mark as paid', 'Did the money arrive?'],
      ['Mark as failed', 'Did the bank refuse it?'],
      ['Cancel it', 'Was it never sent?'],
    ] as const) {
      await named(words).click();
      await named(question).waitFor();
    }
    expect(await statusOf(id)).toBe('processing');
    expect(await auditOf(page)).toEqual([]);
    const body = { rail: 'sepa', debtor: DEBTOR, payoutIds: [id] };
    const { body: file } = await scene.app.call('POST', '/api/payouts/files', { body });
    await scene.show(`/payouts/${id}`);
    await page.getByText('that is in use. It failed only if').waitFor();
    expect(await named('Cancel it').count()).toBe(0);
    expect(await auditOf(page)).toEqual([]);
    await named('Mark as failed').click();
    await named('Did the bank refuse it?').click();
    await expect.poll(() => statusOf(id)).toBe('failed');
    await page.getByRole('link', { name: file.id }).click();
    await page.getByRole('region', { name: 'Payout file', exact: true }).getByText(file.fileName).waitFor();
  });

  it('that are held say why, and are marked as paid or failed, but never canceled', async () => {
    const id = await newPayout('Hedda', null);
    expect(await hold(scene.app.service, scene.app.accountId, id, 'Stripe did not answer')).toBe(true);
    await scene.show('/payouts?status=held');
    await page.getByRole('row', { name: /Hedda.*Unclear$/ }).waitFor();
    await scene.show(`/payouts/${id}`);
    await page.getByText('Nobody could find out whether the provider paid it').waitFor();
    await page.getByText('Stripe did not answer').waitFor();
    expect(await named('Cancel it').count()).toBe(0);
    expect(await auditOf(page)).toEqual([]);
    await named('Mark as failed').click();
    await named('Was it definitely not paid?').click();
    await expect.poll(() => statusOf(id)).toBe('failed');
  });

  it('that somebody else ended meanwhile say so once a change of them is refused', async () => {
    const id = await newPayout('Yara', null);
    await scene.show(`/payouts/${id}`);
    await named('Mark as failed').waitFor();
    await scene.app.call('POST', `/api/payouts/${id}/paid`, { body: {} });
    await named('Mark as failed').click();
    await named('Did the bank refuse it?').click();
    await page
      .getByRole('region', { name: 'Payout', exact: true })
      .getByText('Paid', { exact: true })
      .first()
      .waitFor();
    expect(await named('Mark as paid').count()).toBe(0);
  });

  it('name who ended them, also after that key was revoked', async () => {
    const id = await newPayout('Uma', null);
    const { body: key } = await scene.app.call('POST', '/api/api-keys', {
      body: { name: 'Bank robot', scope: 'full' },
    });
    await scene.app.call('POST', `/api/payouts/${id}/paid`, { key: key.key });
    await scene.app.call('DELETE', `/api/api-keys/${key.id}`);
    await scene.show(`/payouts/${id}`);
    await page.getByRole('region', { name: 'Payout', exact: true }).getByText('Bank robot').waitFor();
    await scene.show(`/settings?tab=log&operatorId=${key.id}`);
    await page.getByText('By: Bank robot').waitFor();
  });

  it('are not downloaded from a canceled file', async () => {
    const id = await newPayout('Ben', 'DE89370400440532013000');
    const body = { rail: 'sepa', debtor: DEBTOR, payoutIds: [id] };
    const { body: file } = await scene.app.call('POST', '/api/payouts/files', { body });
    await scene.show(`/payout-files/${file.id}`);
    const download = page.getByRole('link', { name: 'Download' });
    await download.waitFor();
    await named('Cancel').click();
    await named('Never sent?').click();
    await page.getByText('it cannot be downloaded any more').waitFor();
    expect(await download.count()).toBe(0);
    await scene.app.call('POST', `/api/payouts/${id}/paid`);
  });

  it('are on paper without what can only be pressed, and with the filters that are set', async () => {
    const id = await newPayout('Paula', null);
    await page.emulateMedia({ media: 'print' });
    await scene.show('/payouts?status=processing');
    await page.getByRole('row', { name: /Paula/ }).waitFor();
    const texts = page.getByRole('search').locator('button, span').filter({ visible: true });
    expect(await texts.allTextContents()).toEqual([
      expect.stringContaining('Status: To be paid'),
      'Status: To be paid',
    ]);
    await scene.show(`/payouts/${id}`);
    await page.getByText('What it pays').waitFor();
    expect(await page.getByRole('link', { name: 'CSV' }).count()).toBe(0);
    // a list that leaves out archived ones says so
    await scene.show('/partners');
    await page.getByRole('row', { name: /Paula/ }).waitFor();
    expect(await page.getByText('Partners: active').filter({ visible: true }).count()).toBeGreaterThan(0);
    await page.emulateMedia({ media: 'screen' });
    await scene.app.call('POST', `/api/payouts/${id}/paid`);
  });

  it('that no file can pay say what an operator does about it', async () => {
    const { body: waiting } = await scene.app.call('GET', '/api/payouts?status=processing');
    for (const { id } of waiting.data) await scene.app.call('POST', `/api/payouts/${id}/paid`);
    await newPayout('Cleo', null);
    await newPayout('Dora', null);
    await scene.show('/payout-files');
    await named('Create a file').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name on your account').fill(DEBTOR.name);
    await dialog.getByLabel('Your IBAN').fill('DE00');
    await dialog.getByRole('button', { name: 'Create the file' }).click();
    await dialog.getByText(/^Must be an IBAN/).waitFor();
    await dialog.getByLabel('Your IBAN').fill(DEBTOR.iban);
    await dialog.getByRole('button', { name: 'Create the file' }).click();
    const why = "The partner has no payout details: set them on the partner's page";
    expect(await dialog.getByRole('alert').textContent()).toBe(
      `None of 2 payouts can go into the file. Cleo, Dora: ${why}`,
    );
    await newPayout('Edda', 'DE89370400440532013000');
    await dialog.getByRole('button', { name: 'Create the file' }).click();
    const leftOut = dialog.getByRole('region', { name: 'Left out' });
    const said = () => leftOut.getByRole('listitem').allTextContents();
    await expect.poll(said).toEqual([`Cleo: ${why}.`, `Dora: ${why}.`]);
    expect(scene.problems).toEqual([]);
  });
});
