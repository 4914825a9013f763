import { describe, expect, it } from 'vitest';
import { clickIdFromRequest, createClient, type RequestLike } from '../../src/client/index.ts';

const CLICK = 'clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D';
const OTHER = 'clk_019dca2fe1307Zq2mVb8Kx4Tn1WsYc3D';

describe('the click of a request', () => {
  it.each<[string, RequestLike]>([
    [
      'a Request of the fetch standard',
      new Request('https://shop.example.com/', { headers: { cookie: `svc_id=${CLICK}` } }),
    ],
    ['a request of Node or Express', { url: '/', headers: { cookie: `theme=dark; svc_id=${CLICK}; lang=en` } }],
    ['headers alone, as Next.js has them', { headers: new Headers({ cookie: `svc_id=${CLICK}` }) }],
    ['a header that came several times', { headers: { cookie: ['theme=dark', `svc_id=${CLICK}`] } }],
    ['the address, on the first page of a visit', { url: `/lamps?a=1&svc_id=${CLICK}#top`, headers: {} }],
    ['the absolute address', new Request(`https://shop.example.com/?svc_id=${CLICK}`)],
    ['the cookie rather than the address', { url: `/?svc_id=${OTHER}`, headers: { cookie: `svc_id=${CLICK}` } }],
    ['the cookie that holds one', { headers: { cookie: `svc_id=; svc_id=${CLICK}` } }],
  ])('is found in %s', (_place, request) => {
    expect(clickIdFromRequest(request)).toBe(CLICK);
  });

  it.each<[string, RequestLike]>([
    ['no cookie', { headers: {} }],
    ['a cookie of a similar name', { headers: { cookie: `my_svc_id=${CLICK}; svc_id2=${CLICK}` } }],
    ['something else in the cookie', { headers: { cookie: 'svc_id=<script>' } }],
    ['something else in the address', { url: '/?svc_id=made-up', headers: {} }],
  ])('is null with %s', (_what, request) => {
    expect(clickIdFromRequest(request)).toBeNull();
  });

  it('is null, not an error, for anything but a request', () => {
    // @ts-expect-error: callers in JavaScript
    expect(clickIdFromRequest(undefined)).toBeNull();
    const throwing = {
      headers: {
        get: () => {
          throw new Error('used outside of a request');
        },
      },
    };
    expect(clickIdFromRequest(throwing)).toBeNull();
  });

  it('is also available from the client', () => {
    const client = createClient({ baseUrl: 'https://refer.example.com', apiKey: 'rb_live_example' });
    expect(client.clickIdFromRequest({ headers: { cookie: `svc_id=${CLICK}` } })).toBe(CLICK);
  });
});
