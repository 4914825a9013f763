import { afterAll, beforeAll, expect, it } from 'vitest';
import { createScene, type Scene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await createScene();
});
afterAll(() => scene.close());

/** The lightness of the texts on the page, from 0 for black to 1 for white, without those that are hidden. */
const LIGHTEST = `(() => {
  const canvas = document.createElement('canvas').getContext('2d');
  const texts = [...document.querySelectorAll('h1, h2, p, td, th, small')].filter((one) => one.checkVisibility());
  return Math.max(...texts.map((one) => {
    canvas.fillStyle = getComputedStyle(one).color;
    canvas.fillRect(0, 0, 1, 1);
    const [red, green, blue] = canvas.getImageData(0, 0, 1, 1).data;
    return (red + green + blue) / 765;
  }));
})()`;

it.each([
  ['of the portal', {}],
  ['of the program', { foreground: '#fafafa', 'card-foreground': '#f4f4f5', 'muted-foreground': '#d4d4d8' }],
])('in the dark theme %s, a portal is printed in dark letters, and without its buttons', async (_, dark) => {
  const portal = { allowedOrigins: [scene.host.origin], theme: { shadcnTheme: { dark } } };
  await scene.changeProgram({ portal });
  const context = await scene.browser.newContext({ locale: 'en-GB' });
  const page = await context.newPage();
  await page.goto(scene.frameUrl(await scene.tokenFor(), { theme: 'dark' }));
  const statement = page.getByRole('button', { name: 'Statement' }).first();
  await statement.waitFor();
  expect(await page.evaluate(LIGHTEST)).toBeGreaterThan(0.8);
  await page.emulateMedia({ media: 'print' });
  expect(await page.evaluate(LIGHTEST)).toBeLessThan(0.5);
  expect(await page.locator('button:visible').count()).toBe(0);
  // of its many sales, the first ones are shown
  const rest = page.getByText('This list is longer; the page shows the rest.');
  expect(await rest.count()).toBe(1);
  expect(await rest.isVisible()).toBe(true);
  await page.emulateMedia({ media: null });
  expect(await rest.isVisible()).toBe(false);
  await statement.click();
  await page.getByRole('button', { name: 'Print' }).waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await page.evaluate(LIGHTEST)).toBeLessThan(0.5);
  expect(await page.locator('.statement').isVisible()).toBe(true);
  expect(await rest.isVisible()).toBe(false);
  await context.close();
});
