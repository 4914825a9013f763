import type { Dub } from 'dub';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createReferrer, unique } from '../helpers/story.ts';
import { dubFor } from './dub.ts';

const AT_ONCE = 10;

describe.each(engines)('a link that several requests upsert at once, on %s', (engine) => {
  let app: TestApp;
  let dub: Dub;
  beforeAll(async () => {
    app = await createTestApp(engine);
    dub = dubFor(app, app.apiKey);
  });
  afterAll(() => app.close());

  it.each<[string, () => { key?: string; externalId?: string }]>([
    ['its key', () => ({ key: unique('key') })],
    ['its external id', () => ({ externalId: unique('external') })],
    ['its destination', () => ({})],
    ['its external id and key', () => ({ externalId: unique('external'), key: unique('key') })],
  ])('is one link to all of them, found by %s', async (_what, fields) => {
    const { partnerId } = await createReferrer(app);
    const link = { url: `https://shop.example.com/${unique('page')}`, partnerId, ...fields() };
    const links = await Promise.all(Array.from({ length: AT_ONCE }, () => dub.links.upsert(link)));
    expect(new Set(links.map(({ id }) => id)).size).toBe(1);
    for (const { externalId } of links) expect(externalId).toBe(link.externalId ?? null);
    const shown = await dub.partners.retrieveLinks({ partnerId });
    expect(shown.filter(({ url }) => url === link.url)).toHaveLength(1);
  });
});
