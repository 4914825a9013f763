import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityProblems, resize } from '../reference/visit.ts';
import { buttonIn, createStripeScene, linkIn, paidBy, type StripeScene } from './stripe-scene.ts';

let scene: StripeScene;
beforeAll(async () => {
  scene = await createStripeScene();
});
afterAll(() => scene.close());

describe('what is shown of Stripe', () => {
  it.each(['light', 'dark'] as const)('is accessible in the %s theme', async (colorScheme) => {
    const { token } = await scene.newPartner();
    const page = await scene.open(token, 'en', { colorScheme });
    await page.getByRole('button', { name: 'Set it up' }).click();
    await buttonIn(page).click();
    await page.getByText('Please fill this in.').waitFor();
    expect(await accessibilityProblems(page)).toEqual(['link-name was not checked']);
    await page.getByLabel('Country').selectOption({ label: 'Germany' });
    await buttonIn(page).click();
    await linkIn(page).waitFor();
    await page.getByText('Stripe cannot pay you yet').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.context().close();
  });

  it.each(['en', 'de', 'fr', 'es', 'pt', 'ja'])('fits 320 pixels in %s, and large text', async (lang) => {
    const { token } = await scene.newPartner();
    const page = await scene.open(token, lang, { viewport: { width: 320, height: 800 } });
    const fits = async () => {
      // 390 pixels hold as many letters of twice the size as 195 of these
      for (const width of [320, 195]) {
        await resize(page, width, 800);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
      await resize(page, 320, 800);
    };
    await paidBy(page).getByRole('button').click();
    await page.locator('#paid-by-country').selectOption('GS');
    scene.stripe.platform.accountRefusal = 'See https://dashboard.stripe.com/settings/connect/platform-profile';
    await page.locator('.form button[type="submit"]').click();
    await page.getByRole('alert').waitFor();
    scene.stripe.platform.accountRefusal = null;
    await fits();
    await page.waitForTimeout(600);
    await page.locator('.form button[type="submit"]').click();
    await paidBy(page).getByRole('link').waitFor();
    await paidBy(page).locator('.strong').waitFor();
    await fits();
    await page.context().close();
  });
});
