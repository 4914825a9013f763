import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { destinationFor } from '../../src/core/destination.ts';

const CLICK = 'clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D';
const to = (url: string, query = '') => destinationFor(url, { query, clickId: CLICK });

describe('the URL that a visitor is redirected to', () => {
  it.each([
    ['https://shop.example.com/', `https://shop.example.com/?svc_id=${CLICK}`],
    ['https://shop.example.com', `https://shop.example.com?svc_id=${CLICK}`],
    ['https://shop.example.com/?', `https://shop.example.com/?svc_id=${CLICK}`],
    [
      'https://shop.example.com/a%20b?q=x%20y+z&r=%2F#top',
      `https://shop.example.com/a%20b?q=x%20y+z&r=%2F&svc_id=${CLICK}#top`,
    ],
    [
      "https://shop.example.com/?q='a'&&flag#/route?x=1",
      `https://shop.example.com/?q='a'&&flag&svc_id=${CLICK}#/route?x=1`,
    ],
    ['HTTPS://Shop.Example.com:443/A/../b', `https://shop.example.com/b?svc_id=${CLICK}`],
    [
      'https://shop.example.com/grün?größe=ä',
      `https://shop.example.com/gr%C3%BCn?gr%C3%B6%C3%9Fe=%C3%A4&svc_id=${CLICK}`,
    ],
    ['https:shop.example.com/x', `https://shop.example.com/x?svc_id=${CLICK}`],
    ['https:\\\\shop.example.com\\x', `https://shop.example.com/x?svc_id=${CLICK}`],
  ])('of %s keeps the stored one: %s', (url, expected) => {
    expect(to(url)).toBe(expected);
  });

  it.each([
    ['utm_source=mail&utm_campaign=a%20b+c', `?utm_source=mail&utm_campaign=a%20b+c&svc_id=${CLICK}`],
    ['svc_id=clk_of_another&utm_source=mail', `?utm_source=mail&svc_id=${CLICK}`],
    ['svc%5Fid=clk_of_another', `?svc_id=${CLICK}`],
    ['%73vc_id=clk_of_another&a=1', `?a=1&svc_id=${CLICK}`],
    ['a=%ZZ&b', `?a=%ZZ&b&svc_id=${CLICK}`],
    ['q=gr\u00fcn', `?q=gr%fcn&svc_id=${CLICK}`],
    [`q=${'x'.repeat(5_000)}`, `?svc_id=${CLICK}`],
  ])('appends the query %s as %s', (query, expected) => {
    expect(to('https://shop.example.com/', query)).toBe(`https://shop.example.com/${expected}`);
  });

  it("prefers the destination's own parameters to the visitor's, however those are encoded", () => {
    expect(to('https://shop.example.com/?utm_source=partner&a%20b=1', 'utm_source=me&utm%5Fsource=me&a+b=2&c=3')).toBe(
      `https://shop.example.com/?utm_source=partner&a%20b=1&c=3&svc_id=${CLICK}`,
    );
  });

  it('has one click id, even when one was stored with the link', () => {
    expect(to('https://shop.example.com/?svc_id=clk_old&plan=pro')).toBe(
      `https://shop.example.com/?plan=pro&svc_id=${CLICK}`,
    );
  });

  it('has none when no click was recorded', () => {
    const passage = { query: 'svc_id=clk_x&utm_source=mail', clickId: null };
    expect(destinationFor('https://shop.example.com/?plan=pro#a', passage)).toBe(
      'https://shop.example.com/?plan=pro&utm_source=mail#a',
    );
    expect(destinationFor('https://shop.example.com/', { query: '', clickId: null })).toBe('https://shop.example.com/');
  });

  it('is on the stored host, in printable ASCII, with exactly our id, whatever the visitor sends', () => {
    const bytes = fc.string({ unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)) });
    fc.assert(
      fc.property(bytes, fc.constantFrom('/', '/a?x=1', '?y#z', '/#//evil.example.com'), (query, rest) => {
        const destination = to(`https://shop.example.com${rest}`, query);
        const { origin, pathname, hash, searchParams } = new URL(destination);
        const stored = new URL(`https://shop.example.com${rest}`);
        expect({ origin, pathname, hash }).toEqual({
          origin: stored.origin,
          pathname: stored.pathname,
          hash: stored.hash,
        });
        expect(searchParams.getAll('svc_id')).toEqual([CLICK]);
        expect(destination).toMatch(/^[!-~]+$/);
      }),
    );
  });
});
