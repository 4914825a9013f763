import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chooseLanguage } from '../../../src/web/portal/words/index.ts';
import { createTestApp } from '../../helpers/app.ts';
import { accessibilityProblems, resize } from '../reference/visit.ts';
import { allLoaded, createScene, type Scene } from './scene.ts';

const PAGES = join(import.meta.dirname, '../../../dist/pages');
const BYTES_MAX = 40 * 1024;

let scene: Scene;
beforeAll(async () => {
  scene = await createScene();
});
afterAll(() => scene.close());

describe('the portal', () => {
  it.each([
    ['light', 1000],
    ['dark', 390],
  ] as const)('is accessible, in its %s theme at %d pixels', async (colorScheme, width) => {
    // the page's policy also blocks the audit script
    const context = await scene.browser.newContext({ colorScheme, viewport: { width, height: 800 } });
    const page = await context.newPage();
    await page.goto(scene.frameUrl(await scene.tokenFor(), { lang: 'en' }));
    await allLoaded(page);
    await page.getByRole('button', { name: 'QR code' }).click();
    await page.getByRole('button', { name: 'Statement' }).first().click();
    await page.getByRole('button', { name: 'Print' }).waitFor();
    await page.getByRole('button', { name: 'Set it up' }).click();
    await page.getByRole('radio', { name: 'Wise' }).check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Please fill this in.').first().waitFor();
    const problems = await accessibilityProblems(page);
    expect(problems.filter((problem) => problem !== 'link-name was not checked')).toEqual([]);
    await context.close();
  });

  it.each(['en', 'de', 'fr', 'es', 'pt', 'ja'])(
    'calls no sale available in %s, as a payout may be under way',
    (lang) => {
      const { words } = chooseLanguage([lang]);
      expect(words.saleApproved).not.toBe(words.available);
    },
  );

  it('writes French punctuation with a space that does not break', () => {
    const { words } = chooseLanguage(['fr']);
    expect(words.onItsWay).toBe('En route\u00a0:');
    expect(Object.values(words).filter((text) => / [:;?!]|\S:( |$)/.test(text.replaceAll('\u00a0:', '')))).toEqual([]);
  });

  it.each(['en', 'de', 'fr', 'es', 'pt', 'ja'])('fits 320 pixels in %s, and large text', async (lang) => {
    const context = await scene.browser.newContext({ viewport: { width: 320, height: 800 } });
    const page = await context.newPage();
    await page.goto(scene.frameUrl(await scene.tokenFor(), { lang }));
    await allLoaded(page);
    await page.locator('.link [aria-expanded]').click();
    await page.locator('.qr-code svg').waitFor();
    await page.locator('.payouts button').first().click();
    await page.locator('.statement').waitFor();
    await page.locator('[aria-labelledby="paid-by"] button').click();
    await page.getByRole('radio').last().check();
    await page.locator('.form button[type="submit"]').click();
    await page.locator('.field .problem').first().waitFor();
    // 390 pixels hold as many letters of twice the size as 195 of these
    for (const width of [320, 195]) {
      await resize(page, width, 800);
      expect(await page.evaluate('[document.documentElement.lang, document.documentElement.scrollWidth]')).toEqual([
        lang,
        width,
      ]);
    }
    await context.close();
  });

  it('copies the link by keyboard, and describes the figures of each month', async () => {
    const context = await scene.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await page.goto(scene.frameUrl(await scene.tokenFor(), { lang: 'en' }).replace('127.0.0.1', 'localhost'));
    const link = await page.locator('.link input').inputValue();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('Copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(link);
    const clicks = page.getByRole('slider', { name: 'Clicks, Last 12 months' });
    await clicks.focus();
    const latest = await clicks.getAttribute('aria-valuetext');
    await page.keyboard.press('ArrowLeft');
    const earlier = await clicks.getAttribute('aria-valuetext');
    expect([latest, earlier]).toEqual([
      expect.stringMatching(/^\w+ 20\d\d: \d+$/),
      expect.not.stringMatching(latest ?? ''),
    ]);
    expect(await page.getByText(earlier ?? '').isVisible()).toBe(true);
    await context.close();
  });

  it('has only the parts that the program shows, and tells a new partner what to do first', async () => {
    const context = await scene.browser.newContext();
    const page = await context.newPage();
    const linkless = await scene.tokenFor({ partner: { email: 'lin@example.com', name: 'Lin' } });
    await page.goto(scene.frameUrl(linkless, { lang: 'en' }));
    await page.getByText('You have no link yet').waitFor();
    await page.getByText('Whenever somebody comes through your link').waitFor();
    expect(await page.getByText('Share it').count()).toBe(0);
    await scene.changeProgram({ defaultUrl: 'https://shop.example.com/' });
    const token = await scene.tokenFor({ partner: { email: 'nora@example.com', name: 'Nora New' } });
    await page.goto(scene.frameUrl(token, { lang: 'en' }));
    await page.getByText('No sales yet').waitFor();
    await page.getByText('No payouts yet').waitFor();
    await page.getByText('Share it anywhere').waitFor();
    expect(await page.locator('.link input').inputValue()).toBe('https://refer.example.com/nora-new');
    const hidden = { showReferralLink: false, showStats: false, showEarnings: false, showBranding: false };
    await scene.changeProgram({ portal: hidden });
    await page.goto(scene.frameUrl(token, { lang: 'en' }));
    await page.getByText('No payouts yet').waitFor();
    expect(await page.getByRole('heading').allInnerTexts()).toEqual(['Refer Aurora', 'Payouts', 'How you are paid']);
    expect(await page.getByText('Powered by').count()).toBe(0);
    await scene.changeProgram({
      portal: { showReferralLink: null, showStats: null, showEarnings: null, showBranding: null },
    });
    await context.close();
  });

  it("asks in its frame how the partner is paid, by keyboard, and explains errors in the partner's language", async () => {
    const { page, frame, problems, messages, leave } = await scene.visit(
      scene.frameUrl(await scene.tokenFor(), { lang: 'de' }),
      { viewport: { width: 320, height: 800 } },
    );
    let sentCount = 0;
    page.on('request', (request) => {
      if (request.method() === 'PUT') sentCount += 1;
    });
    await frame.getByRole('button', { name: 'Jetzt angeben' }).press('Enter');
    await frame.getByRole('radio', { name: 'PayPal', checked: true }).press('ArrowDown');
    await frame.getByRole('radio', { name: 'Überweisung (SEPA)', checked: true }).press('Enter');
    const holder = frame.getByRole('textbox', { name: 'Kontoinhaber' });
    const iban = frame.getByRole('textbox', { name: 'IBAN' });
    await expect.poll(() => holder.evaluate('document.activeElement.id')).toBe('paid-by-name');
    expect(await holder.getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.type('Ana Müller');
    await page.keyboard.press('Tab');
    await page.keyboard.type('DE89 3704 0044 0532 0130 01');
    // the second press of a double one sends nothing; by the page's own clock, because a busy test is late
    await frame.evaluate(`new Promise((done) => {
      const { form } = document.activeElement;
      form.requestSubmit();
      setTimeout(() => done(form.requestSubmit()), 150);
    })`);
    await frame.getByText('In dieser IBAN ist ein Tippfehler').waitFor();
    await frame.getByText('Nur Buchstaben ohne Akzente').waitFor();
    expect(await iban.inputValue()).toBe('DE89 3704 0044 0532 0130 01');
    await holder.fill('Ana Mueller');
    await iban.fill('DE89 3704 0044 0532 0130 00');
    await iban.press('Enter');
    await frame.getByText('DE…3000').waitFor();
    expect(sentCount).toBe(2);
    await expect.poll(() => frame.evaluate('document.activeElement.innerText')).toBe('Ändern');
    expect(await frame.getByRole('status').last().textContent()).toBe('Gespeichert');
    const { body } = await scene.app.call('GET', `/api/partners/${scene.partnerId}`);
    expect(body.payoutDetails).toEqual({ rail: 'sepa', name: 'Ana Mueller', iban: 'DE…3000', bic: null });
    // a mistake of the partner is not an error of the portal
    expect(await messages('ERROR')).toEqual([]);
    expect(problems.filter((problem) => !problem.startsWith('Failed to load resource'))).toEqual([]);
    await leave();
  });

  it('is small', () => {
    const html = readFileSync(join(PAGES, 'portal.html'), 'utf8');
    const seen = new Set<string>();
    const follow = (text: string) => {
      for (const [name] of text.matchAll(/[\w-]+-[\w-]{8}\.(?:js|css)/g)) {
        if (seen.has(name) || !readdirSync(join(PAGES, 'assets')).includes(name)) continue;
        seen.add(name);
        follow(readFileSync(join(PAGES, 'assets', name), 'utf8'));
      }
    };
    follow(html);
    const sizes = ['portal.html', ...[...seen].map((name) => `assets/${name}`)].map(
      (name) => statSync(join(PAGES, `${name}.gz`)).size,
    );
    expect(seen.size).toBeGreaterThanOrEqual(3);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(BYTES_MAX);
  });
});

it.each([
  ['dashboard', 'react-dom'],
  ['portal', 'preact'],
])('the %s is beside the licenses of the packages in it', (page, name) => {
  const licenses = readFileSync(join(PAGES, `assets/${page}-licenses.md`), 'utf8').split(/^## /m);
  expect(licenses.find((text) => text.startsWith(`${name} - `))).toContain('Permission is hereby granted');
});

describe('the page of the portal', () => {
  const policyOf = (headers: Headers) => headers.get('content-security-policy') ?? '';
  const get = (path: string) => scene.app.call('GET', path, { key: null });

  it("may be framed by exactly the program's origins, and by everybody only when it shows nothing", async () => {
    for (const path of ['/embed/referrals', '//embed/referrals']) {
      const { status, headers, text } = await get(`${path}?token=${await scene.tokenFor()}`);
      expect(status).toBe(200);
      expect(policyOf(headers)).toContain(`frame-ancestors 'self' ${scene.host.origin}`);
      expect(policyOf(headers)).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /);
      expect(headers.get('x-frame-options')).toBeNull();
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-robots-tag')).toBe('noindex');
      expect(text).not.toMatch(/<style|style="|<script(?! type="application\/json")(?![^>]* src=)/);
    }
    for (const token of ['', 'rb_embed_wrong', scene.app.apiKey]) {
      const { status, headers, text } = await get(`/embed/referrals?token=${token}`);
      expect([status, policyOf(headers).split('; ').at(-1)]).toEqual([401, 'frame-ancestors *']);
      expect(text).not.toContain('Aurora');
    }
    const whole = await get('/portal');
    expect([whole.status, policyOf(whole.headers).split('; ').at(-1)]).toEqual([200, "frame-ancestors 'none'"]);
  });

  it('says so when the database does not answer', async () => {
    const broken = await createTestApp('sqlite');
    const issued = await broken.call('POST', '/api/embed/token', { body: { partner: { email: 'ana@example.com' } } });
    await broken.service.database.close();
    const { status, headers, text } = await broken.call('GET', `/embed/referrals?token=${issued.body.publicToken}`);
    expect([status, policyOf(headers).split('; ').at(-1)]).toEqual([503, 'frame-ancestors *']);
    expect(text).toContain('{"error":{"code":"UNAVAILABLE"');
    await broken.close();
  });

  it('contains what people wrote as data, never as markup', async () => {
    const description = '</script><script>alert(1)</script>';
    await scene.changeProgram({ portal: { theme: { description } } });
    const { text } = await get(`/embed/referrals?token=${await scene.tokenFor()}&theme="><b>`);
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('<b>');
    const data = /<script type="application\/json" id="start">(.*?)<\/script>/.exec(text)?.[1] ?? '';
    expect(JSON.parse(data).config.theme.description).toBe(description);
    await scene.changeProgram({ portal: { theme: { description: null } } });
  });
});
