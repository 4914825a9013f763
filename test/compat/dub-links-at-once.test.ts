import type { Dub } from 'dub';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createReferrer, unique } from '../helpers/story.ts';
import { dubFor } from './dub.ts';

const AT_ONCE = 10;

describe.each(engines)('a link that several requests upsert or change at once, on %s', (engine) => {
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

  it('keeps each change when several requests change different members at once', async () => {
    const [ana, bob] = [await createReferrer(app), await createReferrer(app)];
    for (let round = 0; round < 5; round += 1) {
      const { id } = await dub.links.create({ url: 'https://shop.example.com/', partnerId: ana.partnerId });
      const [url, key] = ['https://shop.example.com/new', unique('key')];
      const patches = [{ partnerId: bob.partnerId }, { url }, { key }, { externalId: key }];
      await Promise.all(patches.map((patch) => dub.links.update(id, patch)));
      const changed = { partnerId: bob.partnerId, url, key, externalId: key };
      expect(await dub.links.get({ linkId: id })).toMatchObject(changed);
    }
  });
});
