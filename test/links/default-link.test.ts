import { get } from 'node:http';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';

const SHOP = 'https://shop.example.com/start';

describe.each(engines)('the first link of a partner on %s', (engine) => {
  let app: TestApp;
  const logged: string[] = [];
  beforeAll(async () => {
    const log = pino({ level: 'warn' }, { write: (line: string) => logged.push(line) });
    app = await createTestApp(engine, { log });
    await setDefaultUrl(SHOP);
  });
  afterAll(() => app.close());

  const setDefaultUrl = (defaultUrl: unknown, more: object = {}) =>
    app.call('PATCH', `/api/programs/${app.programId}`, { body: { defaultUrl, ...more } });
  const enroll = async (name: string, email: string): Promise<string> =>
    (await app.call('POST', '/api/partners', { body: { name, email } })).body.id;
  const linksOf = async (enrollmentId: string) => {
    const { publicToken } = (await app.call('POST', '/api/embed/token', { body: { enrollmentId } })).body;
    return (await app.call('GET', '/api/embed/referrals/links', { key: publicToken })).body.data;
  };
  const destinationOf = (path: string) =>
    new Promise<string | undefined>((resolve, reject) => {
      const headers = { host: 'refer.example.com' };
      get(new URL(path, app.url), { headers }, (visit) => resolve(visit.resume().headers.location)).on('error', reject);
    });
  const keysOf = async (id: string): Promise<string[]> =>
    (await linksOf(id)).map(({ shortLink }: { shortLink: string }) => new URL(shortLink).pathname.slice(1));

  it("exists at once when the partner is enrolled by an embed token, and leads to the program's address", async () => {
    const body = { partner: { email: 'ana@example.com', name: 'Ana Álvarez  Müller' } };
    const { publicToken } = (await app.call('POST', '/api/embed/token', { body })).body;
    const { data } = (await app.call('GET', '/api/embed/referrals/links', { key: publicToken })).body;
    expect(data).toMatchObject([{ shortLink: 'https://refer.example.com/ana-alvarez-muller', url: SHOP }]);
    expect(await destinationOf('/ana-alvarez-muller')).toContain(SHOP);
    await app.call('POST', '/api/embed/token', { body });
    const again = await app.call('GET', '/api/embed/referrals/links', { key: publicToken });
    expect(again.body.data).toMatchObject([{ id: data[0].id, clicks: 1 }]);
  });

  it.each([
    ['a name that is taken', 'Ana Alvarez Müller'],
    ['a reserved name', 'Dashboard'],
    ['a name without Latin letters', '王小明'],
  ])('has a generated key for %s', async (_, name) => {
    expect(await keysOf(await enroll(name, `${name.length}@example.com`))).toEqual([
      expect.stringMatching(/^[0-9A-Za-z]{7}$/),
    ]);
  });

  it('has a generated key where the name would lead the link to itself', async () => {
    await setDefaultUrl('https://refer.example.com/our-shop');
    const keys = await keysOf(await enroll('Our Shop', 'our-shop@example.com'));
    await setDefaultUrl(SHOP);
    expect(keys).toEqual([expect.stringMatching(/^[0-9A-Za-z]{7}$/)]);
  });

  it('has ten different keys for ten partners of the same name who are added at once', async () => {
    const ids = await Promise.all(
      Array.from({ length: 10 }, (_, index) => enroll('Busy Bee', `bee${index}@example.com`)),
    );
    const keys = (await Promise.all(ids.map(keysOf))).flat();
    expect([keys.length, new Set(keys).size, keys.includes('busy-bee')]).toEqual([10, 10, true]);
  });

  it('is not created unless the program has an address, which must be valid', async () => {
    expect(await setDefaultUrl('javascript:alert(1)')).toMatchObject({ status: 400 });
    expect((await setDefaultUrl(null)).body.defaultUrl).toBeNull();
    expect(await linksOf(await enroll('Nora', 'nora@example.com'))).toEqual([]);
  });

  it('is returned with a warning while no page may embed the portal', async () => {
    const warnings = () => logged.filter((line) => line.includes('portal.allowedOrigins'));
    expect(warnings().length).toBeGreaterThan(0);
    await setDefaultUrl(SHOP, { portal: { allowedOrigins: ['https://app.example.com'] } });
    logged.length = 0;
    const { body } = await app.call('POST', '/api/embed/token', { body: { partner: { email: 'ana@example.com' } } });
    expect(Object.keys(body)).toEqual(['publicToken', 'expires']);
    expect(warnings()).toEqual([]);
  });
});
