import type { Dub } from 'dub';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createOperator, type SignedIn } from '../helpers/operators.ts';
import { unique } from '../helpers/story.ts';
import { dubFor } from './dub.ts';

const SHOP = 'https://shop.example.com/';

describe.each(engines)('the external id of a link, on %s', (engine) => {
  let app: TestApp;
  let dub: Dub;
  let owner: SignedIn;
  let partnerId: string;
  beforeAll(async () => {
    app = await createTestApp(engine, { trustProxy: 1 });
    dub = dubFor(app, app.apiKey);
    owner = await createOperator(app);
    partnerId = (await dub.partners.create({ name: 'Ana', email: 'ana@example.com' })).id;
  });
  afterAll(() => app.close());

  it('is free again when its link was deleted', async () => {
    const externalId = unique('their');
    const link = { url: SHOP, partnerId, externalId };
    const first = await dub.links.upsert(link);
    expect((await app.call('DELETE', `/api/links/${first.id}`)).status).toBe(204);
    const second = await dub.links.upsert(link);
    expect(second).toMatchObject({ externalId, url: SHOP });
    expect(second.id).not.toBe(first.id);
    expect(await dub.links.get({ externalId })).toEqual(second);
    expect((await app.call('DELETE', `/api/links/${second.id}`)).status).toBe(204);
    expect(await dub.links.create(link)).toMatchObject({ externalId });
  });

  it('is in the audit log whenever it changes', async () => {
    const logOf = async (id: string) =>
      (await owner.call('GET', `/api/audit-log?resourceId=${id}`)).body.data.flatMap(
        ({ action, changes }: { action: string; changes: Record<string, unknown> }) =>
          changes.externalId === undefined ? [] : [[action, changes.externalId]],
      );
    const [one, other] = [unique('their'), unique('their')];
    const { id } = await dub.links.create({ url: SHOP, partnerId, externalId: one });
    await dub.links.update(id, { externalId: one });
    await dub.links.update(id, { externalId: other });
    await dub.links.update(id, { url: `${SHOP}new` });
    await dub.links.update(id, { externalId: null });
    expect(await logOf(id)).toEqual([
      ['link.update', { before: other, after: null }],
      ['link.update', { before: one, after: other }],
      ['link.create', { before: null, after: one }],
    ]);
  });
});
