import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewAccount } from '../../src/accounts/accounts.ts';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { unique } from '../helpers/story.ts';

describe.each(engines)('the domain of a link, on %s', (engine) => {
  let app: TestApp;
  let first: LinkMaker;
  let second: LinkMaker;
  beforeAll(async () => {
    app = await createTestApp(engine);
    first = await linkMaker(app);
    second = await linkMaker(await app.addAccount('Other Ltd'));
  });
  afterAll(() => app.close());

  interface LinkMaker {
    create(domain: string | null, key?: string): ReturnType<TestApp['call']>;
    move(id: string, domain: string): ReturnType<TestApp['call']>;
  }

  async function linkMaker({ apiKey: key }: Pick<NewAccount, 'apiKey'>): Promise<LinkMaker> {
    const body = { name: 'Paula', email: `${unique('partner')}@example.com` };
    const partner = await app.call('POST', '/api/partners', { key, body });
    return {
      create: (domain, linkKey) => {
        const link = { partnerId: partner.body.id, domain, key: linkKey, url: 'https://shop.example.com/' };
        return app.call('POST', '/api/links', { key, body: link });
      },
      move: (id, domain) => app.call('PATCH', `/api/links/${id}`, { key, body: { domain } }),
    };
  }

  const outcome = ({ status, body }: Awaited<ReturnType<TestApp['call']>>) => [status, body.error?.code ?? null];

  it('belongs to the account that has links on it, until its last link is gone', async () => {
    const domain = 'go.example.com';
    const links = [await first.create(domain, 'pia'), await first.create(domain)];
    expect(links.map(outcome)).toEqual([
      [201, null],
      [201, null],
    ]);
    const refused = await second.create(domain, 'ana');
    expect([...outcome(refused), refused.body.error.message]).toEqual([
      409,
      'CONFLICT',
      'domain: go.example.com is taken by another account; use a domain of your own',
    ]);
    expect(outcome(await second.create(domain))).toEqual([409, 'CONFLICT']);
    expect(outcome(await second.create(`${domain}.`, 'ana'))).toEqual([409, 'CONFLICT']);
    const { body: own } = await second.create('mine.example.com');
    expect(outcome(await second.move(own.id, domain))).toEqual([409, 'CONFLICT']);

    expect(outcome(await first.move(links[0]?.body.id, 'new.example.com'))).toEqual([200, null]);
    expect(outcome(await second.create(domain))).toEqual([409, 'CONFLICT']);
    expect(outcome(await first.move(links[1]?.body.id, 'new.example.com'))).toEqual([200, null]);
    expect(outcome(await second.move(own.id, domain))).toEqual([200, null]);
    expect(outcome(await first.create(domain))).toEqual([409, 'CONFLICT']);
  });

  it("is shared only if it is the service's own", async () => {
    expect([outcome(await first.create(null)), outcome(await second.create(null))]).toEqual([
      [201, null],
      [201, null],
    ]);
  });

  it('goes to one of two accounts that claim it at the same instant', async () => {
    for (let round = 0; round < 10; round += 1) {
      const domain = `race-${round}.example.com`;
      const answers = await Promise.all([first.create(domain), second.create(domain)]);
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
    }
  });
});
