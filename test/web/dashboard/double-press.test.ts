import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runPayouts, sell } from '../../helpers/earning.ts';
import { readSourceFiles } from '../../helpers/source-modules.ts';
import { createReferrer, type Referrer } from '../../helpers/story.ts';
import { createBrowserApp } from './example.ts';
import { openScene, type Scene } from './scene.ts';

/** Longer than the busy browser needs to send what a press asked for. */
const SETTLE_MS = 1_500;

/** What may be a double click: `[how much slower the browser is, milliseconds between the presses]`. */
const DOUBLE_CLICKS = [
  [1, 0],
  [1, 150],
  [6, 60],
] as const;

let scene: Scene;
let ana: Referrer;
/** The changes that the page sent: `POST /api/adjustments`. */
let sent: string[] = [];

beforeAll(async () => {
  scene = await openScene(await createBrowserApp());
  ana = await createReferrer(scene.app, { name: 'Ana' });
  scene.page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(`${request.method()} ${new URL(request.url()).pathname}`);
  });
});
beforeEach(() => {
  sent = [];
});
afterAll(() => scene.close());

/**
 * Two presses of the mouse button: at once, as a system sends them, which does not wait for the page, or apart by the
 * page's own clock, because a busy test is late.
 */
async function clickTwice(page: Page, button: Locator, [slower, gapMs]: readonly [number, number]): Promise<void> {
  const { x: left, y: top, width, height } = (await button.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const [x, y] = [left + width / 2, top + height / 2];
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: slower });
  const press = (clickCount: number) =>
    (['mousePressed', 'mouseReleased'] as const).map((type) =>
      session.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount }),
    );
  if (gapMs === 0) await Promise.all([...press(1), ...press(2)]);
  else {
    await page.evaluate(`new Promise((done) => {
      const press = () => document.elementFromPoint(${x}, ${y})?.click();
      press();
      setTimeout(() => done(press()), ${gapMs});
    })`);
  }
  await page.waitForTimeout(SETTLE_MS);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await session.detach();
}

/** Longer than a double press, so that the browser repeats the key. */
async function holdEnter(button: Locator): Promise<void> {
  const { keyboard } = button.page();
  await button.focus();
  await keyboard.down('Enter');
  await button.page().waitForTimeout(700);
  await keyboard.down('Enter');
  await keyboard.up('Enter');
}

async function fillAdjustment(page: Page, reason: string): Promise<Locator> {
  await scene.show('/ledger');
  await page.getByRole('button', { name: 'Adjustment' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('combobox').pressSequentially('Ana');
  await dialog.getByRole('option', { name: /Ana/ }).waitFor();
  await page.keyboard.press('Enter');
  await dialog.getByLabel('Amount').fill('12.34');
  await dialog.getByLabel('Reason').fill(reason);
  return dialog;
}

const adjustmentsFor = async (wanted: string) =>
  (await scene.app.call('GET', '/api/ledger?kind=adjustment')).body.data.filter(
    ({ reason }: { reason: string }) => reason === wanted,
  );

describe('a double press', () => {
  it.each(DOUBLE_CLICKS)('of the mouse books an adjustment once, %d times slower and %d ms apart', async (...times) => {
    const { page } = scene;
    const reason = `Bonus ${times.join(' ')}`;
    const dialog = await fillAdjustment(page, reason);
    await clickTwice(page, dialog.getByRole('button', { name: 'Add the adjustment' }), times);
    await expect.poll(() => adjustmentsFor(reason)).toMatchObject([{ amount: 1_234 }]);
    expect(sent).toEqual(['POST /api/adjustments']);
  });

  it('of Enter books an adjustment once', async () => {
    const { page } = scene;
    const dialog = await fillAdjustment(page, 'By keys');
    await dialog.getByLabel('Reason').focus();
    await Promise.all([page.keyboard.press('Enter'), page.keyboard.press('Enter')]);
    await page.waitForTimeout(SETTLE_MS);
    await expect.poll(() => adjustmentsFor('By keys')).toMatchObject([{ amount: 1_234 }]);
    expect(sent).toEqual(['POST /api/adjustments']);
  });

  it('of a button that stays sends once, and the next press counts', async () => {
    const { page } = scene;
    await scene.show(`/partners/${ana.partnerId}`);
    const button = page.getByRole('button', { name: 'Create a link to the portal' });
    await button.waitFor();
    await clickTwice(page, button, [1, 150]);
    const address = `POST /api/partners/${ana.partnerId}/portal-link`;
    await expect.poll(() => sent).toEqual([address]);
    await page.locator('button[aria-busy="true"]').waitFor({ state: 'detached' });
    await button.click();
    await expect.poll(() => sent).toEqual([address, address]);
  });

  it('sends the selected rows once, and not before the dialog that asks is answered', async () => {
    const { page } = scene;
    await sell(scene.app, ana);
    await runPayouts(scene.app, { at: '2100-01-01' });
    await scene.show('/payouts?status=processing');
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await holdEnter(page.getByRole('button', { name: 'Mark as failed' }));
    expect(sent).toEqual([]);
    await clickTwice(page, page.getByRole('dialog').getByRole('button', { name: 'Mark as failed' }), [1, 0]);
    await page.getByText('1 payout marked as failed').waitFor();
    expect(sent).toHaveLength(1);
  });

  it('is ignored in one place, which every form and button uses', () => {
    const files = readSourceFiles(['src/web'], ['.ts', '.tsx']);
    const users = files.filter(({ text }) => /\buseMutation\b/.test(text));
    expect(users.map(({ path }) => path)).toEqual(['src/web/dashboard/data/use-api.ts']);
  });

  it.each([
    ['of', (button: Locator) => clickTwice(scene.page, button, [1, 150])],
    ['with Enter held down of', holdEnter],
  ])('%s what cannot be undone only asks', async (_, press) => {
    const { page } = scene;
    const body = { processor: 'stripe' };
    const { id } = (await scene.app.call('POST', '/api/webhook-endpoints', { body })).body;
    await scene.show(`/connections/${id}`);
    const button = page.getByRole('button', { name: 'Disconnect' });
    await button.waitFor();
    await button.scrollIntoViewIfNeeded();
    await press(button);
    expect(sent).toEqual([]);
    await page.getByRole('button', { name: 'Refuse all its deliveries from now on?' }).click();
    await expect.poll(() => sent).toEqual([`DELETE /api/webhook-endpoints/${id}`]);
  });
});
