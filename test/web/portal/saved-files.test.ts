import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createScene, type Scene } from './scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await createScene();
});
afterAll(() => scene.close());

it('a statement and a QR code are saved as files, in the frame as well', async () => {
  const { page, frame, leave } = await scene.visit(scene.frameUrl(await scene.tokenFor(), { lang: 'en' }));
  const save = async (name: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      frame.getByRole('button', { name, exact: true }).click(),
    ]);
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
  };
  await frame.getByRole('button', { name: 'Statement' }).first().click();
  const statement = await save('Save as CSV');
  expect(statement.name).toMatch(/^statement-pay_\w+\.csv$/);
  expect(statement.text.match(/^entry,.*,Commission,.*@example\.com,/gm)?.length).toBeGreaterThan(2);
  await frame.getByRole('button', { name: 'QR code' }).click();
  const code = await save('Save image');
  expect([code.name, code.text]).toEqual(['qr-code.svg', expect.stringMatching(/^<svg .*<\/svg>$/)]);
  // Firefox refuses what the page around the link's frame does not allow, so that page must be the portal
  const linksPerFrame = '[...document.querySelectorAll("iframe")].map((own) => own.contentDocument.links.length)';
  expect(await frame.evaluate(linksPerFrame)).toEqual([1, 1]);
  const { headers } = await scene.app.call('GET', '/embed/referrals', { key: null });
  expect(headers.get('content-security-policy')).toContain('; frame-src blob:; ');
  await leave();
});
