import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../../helpers/app.ts';

const SOURCE = new URL('../../../src/web/script/script.js', import.meta.url).pathname;
const TYPES = new URL('../../../src/web/script/script.d.ts', import.meta.url).pathname;
const SIZE_BYTES_MAX = 3 * 1024;

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp('sqlite');
});
afterAll(() => app.close());

const get = (headers: Record<string, string> = {}) => app.call('GET', '/script.js', { key: null, headers });

/** The bytes as sent, without decompression. */
function download(encoding: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const asked = request(`${app.url}/script.js`, { headers: { 'accept-encoding': encoding } }, async (response) => {
      resolve(Buffer.concat(await response.toArray()));
    });
    asked.on('error', reject).end();
  });
}

describe('/script.js', () => {
  it('is JavaScript that every page may load and every cache may store', async () => {
    const { status, headers, text } = await get();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('cache-control')).toBe('public, max-age=3600, stale-while-revalidate=86400');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(headers.get('set-cookie')).toBeNull();
    expect(text).toContain('window.refbridge');
  });

  it.each(['br', 'gzip'])('is smaller than 3 KB in %s, with the same content', async (encoding) => {
    const packed = await download(encoding);
    expect(packed.byteLength).toBeGreaterThan(500);
    expect(packed.byteLength).toBeLessThan(SIZE_BYTES_MAX);
    const unpacked = encoding === 'br' ? brotliDecompressSync(packed) : gunzipSync(packed);
    expect(unpacked.equals(await download('identity'))).toBe(true);
  });

  it('is not sent again to a client that has it', async () => {
    const first = await get({ 'accept-encoding': 'br' });
    const etag = first.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    const second = await get({ 'accept-encoding': 'br', 'if-none-match': etag });
    expect([second.status, second.text, second.headers.get('etag')]).toEqual([304, '', etag]);
    expect(second.headers.get('cache-control')).toBe(first.headers.get('cache-control'));
    for (const name of ['content-type', 'content-length']) expect(second.headers.has(name)).toBe(false);
    const several = `"of-an-older-one", W/${etag}`;
    expect((await get({ 'accept-encoding': 'br', 'if-none-match': several })).status).toBe(304);
    expect((await get({ 'accept-encoding': 'br', 'if-none-match': '*' })).status).toBe(304);
    expect((await get({ 'accept-encoding': 'br', 'if-none-match': '"of-an-older-one"' })).status).toBe(200);
  });

  it('has an ETag per encoding, so that no cache mixes them up', async () => {
    const encodings = ['br', 'gzip', 'identity'];
    const answers = await Promise.all(encodings.map((encoding) => get({ 'accept-encoding': encoding })));
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(3);
    expect(answers.map(({ headers }) => headers.get('vary'))).toEqual(encodings.map(() => 'Accept-Encoding'));
    expect(answers.map(({ headers }) => headers.get('content-encoding'))).toEqual(['br', 'gzip', null]);
  });

  it('answers HEAD, and no other method', async () => {
    expect((await app.call('HEAD', '/script.js', { key: null })).status).toBe(200);
    const { status, headers } = await app.call('POST', '/script.js', { key: null });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });
});

describe('the source of /script.js', () => {
  /** Compiles the script for browsers of `target`; rejects with the compiler's errors. */
  async function compile(target: string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'refbridge-script-'));
    const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
    const checks = ['--ignoreConfig', '--allowJs', '--checkJs', '--strict', '--types', ''];
    const output = ['--target', target, '--lib', 'es2018,dom', '--module', 'esnext', '--outDir', folder];
    try {
      await promisify(execFile)(process.execPath, [compiler, ...checks, ...output, SOURCE, TYPES]);
      return await readFile(join(folder, 'script.js'), 'utf8');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  it('needs nothing newer than ES2018, and matches its own types', async () => {
    const [asIs, lowered] = await Promise.all([compile('esnext'), compile('es2018')]);
    expect(asIs).toContain('window.refbridge');
    expect(lowered).toBe(asIs);
  });

  it('imports nothing and evaluates no text', async () => {
    const source = await readFile(SOURCE, 'utf8');
    expect(source).not.toMatch(/^\s*import\b|\beval\b|\bFunction\(|innerHTML|\bsetTimeout\(['"`]/m);
  });
});
