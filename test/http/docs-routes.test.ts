import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import openApi from '../../src/web/reference/openapi.json' with { type: 'json' };
import { createTestApp, type TestApp } from '../helpers/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp('sqlite');
});
afterAll(() => app.close());

const get = (path: string, headers: Record<string, string> = {}) => app.call('GET', path, { key: null, headers });

/** The bytes as sent, without decompression. */
function download(path: string, encoding: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const asked = request(`${app.url}${path}`, { headers: { 'accept-encoding': encoding } }, async (response) => {
      resolve(Buffer.concat(await response.toArray()));
    });
    asked.on('error', reject).end();
  });
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
const OPERATION_COUNT = Object.values(openApi.paths).flatMap((path) =>
  Object.keys(path).filter((name) => METHODS.includes(name)),
).length;
/** The description grows with the API. */
const API_BYTES_MAX = 345 * OPERATION_COUNT;

const FILES = [
  ['/openapi.json', 'application/json; charset=utf-8', API_BYTES_MAX],
  ['/docs/api', 'text/html; charset=utf-8', API_BYTES_MAX],
  ['/docs/api/reference.css', 'text/css; charset=utf-8', 4_000],
  ['/docs/api/reference.js', 'text/javascript; charset=utf-8', 3_000],
] as const;

describe.each(FILES)('%s', (path, contentType, bytesMax) => {
  it('is public, and revalidated by a browser that has it', async () => {
    const { status, headers } = await get(path);
    expect([status, headers.get('content-type')]).toEqual([200, contentType]);
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const etag = headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    const second = await get(path, { 'if-none-match': etag });
    expect([second.status, second.text]).toEqual([304, '']);
  });

  it('is sent compressed', async () => {
    const plain = await download(path, 'identity');
    const [brotli, gzip] = await Promise.all([download(path, 'br'), download(path, 'gzip')]);
    expect(brotliDecompressSync(brotli).equals(plain)).toBe(true);
    expect(gunzipSync(gzip).equals(plain)).toBe(true);
    expect(brotli.byteLength).toBeLessThan(bytesMax);
  });
});

it('the reference loads only from its own host, runs no inline script and cannot be framed', async () => {
  const { headers, text } = await get('/docs/api');
  expect(headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect(text).not.toMatch(/<style|\sstyle=|<script>|\son\w+=/);
});

it('a tool on another site may read the API description', async () => {
  const { headers, body } = await get('/openapi.json', { origin: 'https://editor.example.com' });
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(body.info.version).toBe(packageJson.version);
});

it('the root names this service, and where its reference is', async () => {
  const { status, body } = await get('/');
  expect([status, body]).toEqual([200, { name: 'refbridge', version: packageJson.version, docs: '/docs/api' }]);
  expect((await get(body.docs)).status).toBe(200);
});

it('the root sends a browser to the dashboard', async () => {
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const { status, headers } = await get('/', { accept });
  expect([status, headers.get('location'), headers.get('vary')]).toEqual([302, '/dashboard/', 'Accept']);
});

it.each(['/docs', '/docs/'])('%s leads to the reference', async (path) => {
  const { status, headers } = await get(path);
  expect([status, headers.get('location')]).toEqual([302, '/docs/api']);
});
