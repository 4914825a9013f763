import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp('sqlite');
});
afterAll(() => app.close());

const DECODE = { br: brotliDecompressSync, gzip: gunzipSync };

/** Not `fetch`, which decompresses what it receives. */
function get(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    request(app.url + path, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

async function scriptPath(): Promise<string> {
  const { body } = await get('/dashboard/');
  return /src="(\/assets\/[^"]+\.js)"/.exec(body.toString())?.[1] ?? '';
}

describe('the dashboard is served', () => {
  it('at every address below /dashboard/, revalidated and under its policy', async () => {
    const { status, headers, body } = await get('/dashboard/sales/sal_1?status=paid');
    expect(status).toBe(200);
    expect(body.toString()).toContain('<div id="root"></div>');
    expect(body.toString()).not.toMatch(/<style|<script(?![^>]* src=)/);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: https:; connect-src 'self'; " +
        "font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    });
    const again = await get('/dashboard/', { 'if-none-match': String(headers.etag) });
    expect([again.status, again.body.length]).toEqual([304, 0]);
  });

  it('and nowhere else', async () => {
    expect((await get('/dashboard')).headers.location).toBe('/dashboard/');
    expect((await get('/dashboards/')).status).toBe(404);
    expect((await app.call('POST', '/dashboard/sales')).status).toBe(404);
  });

  it.each(['br', 'gzip'] as const)('with files that never expire, compressed as %s', async (encoding) => {
    const path = await scriptPath();
    const plain = await get(path);
    const { status, headers, body } = await get(path, { 'accept-encoding': encoding });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-encoding': encoding,
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'Accept-Encoding',
    });
    expect(DECODE[encoding](body).equals(plain.body)).toBe(true);
    expect(body.length).toBeLessThan(plain.body.length / 2);
  });

  it.each([
    '/assets/',
    '/assets/missing.js',
    '/assets/..%2fdashboard.html',
    '/assets/../dashboard.html',
    '/assets/a.js.br',
  ])('without a file at %s', async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});
