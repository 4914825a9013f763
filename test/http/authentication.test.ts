import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createBearerToken } from '../../src/app/bearer-token.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';

const BEARER = 'Bearer realm="Refbridge"';
const INVALID = `${BEARER}, error="invalid_token"`;
const REFUSED = { error: { code: 'UNAUTHORIZED', message: 'Invalid or missing API key' } };

describe.each(engines)('a request with an API key, on %s', (engine) => {
  let app: TestApp;
  let now = Date.UTC(2026, 0, 1);
  beforeAll(async () => {
    app = await createTestApp(engine, { service: { clock: () => now } });
  });
  afterAll(() => app.close());

  const callWith = (authorization: string | null) =>
    app.call('GET', '/api/api-keys', { key: null, headers: authorization === null ? {} : { authorization } });

  it('passes with the key that was created with the account', async () => {
    const answer = await app.call('GET', '/api/api-keys');
    expect(answer.status).toBe(200);
  });

  it.each(['Bearer', 'bearer', 'BEARER'])('may write the scheme as %s', async (scheme) => {
    expect((await callWith(`${scheme} ${app.apiKey}`)).status).toBe(200);
    expect((await callWith(`${scheme}   ${app.apiKey} `)).status).toBe(200);
  });

  it.each([
    ['nothing at all', () => null],
    ['another scheme', () => `Basic ${app.apiKey}`],
    ['no scheme', () => app.apiKey],
  ])('is refused with %s, and only the scheme is named', async (_, authorization) => {
    const answer = await callWith(authorization());
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, BEARER]);
    expect(answer.body).toEqual(REFUSED);
  });

  it.each([
    ['nothing behind the scheme', () => 'Bearer'],
    ['two keys', () => `Bearer ${app.apiKey} ${app.apiKey}`],
    ['a key of one character less', () => `Bearer ${app.apiKey.slice(0, -1)}`],
    ['a key in another case', () => `Bearer ${app.apiKey.toUpperCase()}`],
    ['a well-formed key that nobody made', () => `Bearer ${createBearerToken('rb_live_')}`],
    ['an embed token', () => `Bearer ${createBearerToken('rb_embed_')}`],
    ['SQL', () => `Bearer ' OR 1=1 --`],
  ])('is refused with %s, always in the same words', async (_, authorization) => {
    const answer = await callWith(authorization());
    expect(answer.status).toBe(401);
    expect(answer.body).toEqual(REFUSED);
    expect(answer.headers.get('www-authenticate')).toBe(INVALID);
    expect(answer.headers.get('ratelimit')).toBeNull();
  });

  it('is refused for a bad checksum without reaching the database', async () => {
    const read = vi.spyOn(app.service.database, 'read');
    const typo = app.apiKey.slice(0, -1) + (app.apiKey.endsWith('a') ? 'b' : 'a');
    expect((await callWith(`Bearer ${typo}`)).status).toBe(401);
    expect(read).not.toHaveBeenCalled();
    expect((await callWith(`Bearer ${createBearerToken('rb_live_')}`)).status).toBe(401);
    expect(read).toHaveBeenCalledOnce();
    read.mockRestore();
  });

  it('is refused before its body is read', async () => {
    const answer = await app.call('POST', '/api/api-keys', { key: null, body: '{"broken' });
    expect(answer.status).toBe(401);
  });

  it('is refused as soon as its key is revoked, while other keys still work', async () => {
    const { body: second } = await app.call('POST', '/api/api-keys', { body: { name: 'Second' } });
    const callSecond = () => app.call('GET', '/api/api-keys', { key: second.key });
    expect((await callSecond()).status).toBe(200);
    expect((await app.call('DELETE', `/api/api-keys/${second.id}`)).status).toBe(204);
    const refused = await callSecond();
    expect(refused.status).toBe(401);
    expect(refused.body).toEqual(REFUSED);
    expect((await app.call('GET', '/api/api-keys')).status).toBe(200);
  });

  it('records its last use, at most once a minute', async () => {
    const lastUsedAt = async () => (await app.call('GET', '/api/api-keys')).body.data.at(-1).lastUsedAt;
    now += 60_000;
    const first = new Date(now).toISOString();
    await app.call('GET', '/api/api-keys');
    await expect.poll(lastUsedAt).toBe(first);
    now += 59_000;
    const write = vi.spyOn(app.service.database, 'write');
    expect(await lastUsedAt()).toBe(first);
    expect(write).not.toHaveBeenCalled();
    now += 1_000;
    await app.call('GET', '/api/api-keys');
    await expect.poll(lastUsedAt).toBe(new Date(now).toISOString());
    expect(write).toHaveBeenCalledOnce();
    write.mockRestore();
  });

  it('is answered even when its last use cannot be stored', async () => {
    now += 120_000;
    const write = vi.spyOn(app.service.database, 'write').mockRejectedValue(new Error('disk full'));
    expect((await app.call('GET', '/api/api-keys')).status).toBe(200);
    expect(write).toHaveBeenCalledOnce();
    write.mockRestore();
  });
});
