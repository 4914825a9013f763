import type { TestApp } from '../../helpers/app.ts';

export interface TestLink {
  id: string;
  partnerId: string;
  key: string;
  /** The URL that the visitor follows. */
  shortLink: string;
}

/** A partner with one link to `url` on the running service's own host. */
export async function createLink(app: TestApp, key: string, url: string): Promise<TestLink> {
  const partner = await app.call('POST', '/api/partners', { body: { name: key, email: `${key}@example.com` } });
  const domain = new URL(app.url).host;
  const body = { partnerId: partner.body.id, domain, key, url };
  const link = await app.call('POST', '/api/links', { body });
  if (link.status !== 201) throw new Error(`The link was not created: ${link.text}`);
  return { id: link.body.id, partnerId: partner.body.id, key, shortLink: `${app.url}/${key}` };
}

export async function clicksOf(app: TestApp, link: TestLink): Promise<number> {
  return (await app.call('GET', `/api/links/${link.id}`)).body.clicks;
}
