import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isReservedKey } from '../../src/links/keys.ts';
import { ONBOARDED_PATH } from '../../src/payouts/transfers/onboarding.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';

describe('the page to which a provider returns a partner', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp('sqlite');
  });
  afterAll(() => app.close());

  const get = (query = '') => app.call('GET', `${ONBOARDED_PATH}${query}`, { key: null });

  it.each([
    ['', 'You can close this window', 'whether anything is still missing'],
    ['?expired=1', 'This link has expired', 'continue there'],
    ['?expired=1&expired=2&more=<script>', 'This link has expired', 'continue there'],
  ])('with the query "%s" says: %s', async (query, title, text) => {
    const answer = await get(query);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(`<h1>${title}</h1>`);
    expect(answer.text).toContain(text);
    // whoever stopped in the middle comes here, too
    expect(answer.text).not.toMatch(/<script|thank|done|ready|success|complete/i);
  });

  it('is where no link can be, because links are followed before other routes', () => {
    expect(isReservedKey(ONBOARDED_PATH.split('/')[1] ?? '')).toBe(true);
  });

  it('has no script, cannot be framed, and loads nothing', async () => {
    const { headers, text } = await get();
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(text) ?? [];
    const digest = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toBe(
      `default-src 'none'; style-src 'sha256-${digest}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-robots-tag')).toBe('noindex');
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
  });
});
