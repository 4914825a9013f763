import { type Answer, call, type TestApp } from './app.ts';
import { unique, VISITOR } from './story.ts';

export interface TestLink {
  id: string;
  key: string;
  partnerId: string;
}

/** A link on the service's own host, with its own partner. */
export async function createLink(app: TestApp, link: Record<string, unknown> = {}): Promise<TestLink> {
  const email = `${unique('partner')}@example.com`;
  const partner = await app.call('POST', '/api/partners', { body: { name: 'Paula Partner', email } });
  const url = 'https://shop.example.com/';
  const body = { partnerId: partner.body.id, domain: new URL(app.url).host, url, ...link };
  const created = await app.call('POST', '/api/links', { body });
  if (created.status !== 201) throw new Error(`The link was not created: ${created.text}`);
  return created.body;
}

/** One request without a credential, as a visitor's browser unless `headers` differ. */
export function visit(
  app: TestApp,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Answer> {
  return call(app.url + path, method, { headers: { 'user-agent': VISITOR, ...headers } });
}

/** The click id in a redirect's destination; null without one. */
export function clickIdIn({ headers }: Answer): string | null {
  return URL.parse(headers.get('location') ?? '')?.searchParams.get('svc_id') ?? null;
}

export interface ClickRow {
  id: string;
  referrerHost: string | null;
  device: string | null;
  country: string | null;
  visitorHash: string | null;
  createdAt: number;
}

/** The stored clicks of a link, in order. */
export function clicksOf(app: TestApp, link: TestLink): Promise<ClickRow[]> {
  return app.service.database.read((tx) =>
    tx.all<ClickRow>(
      `SELECT id, referrer_host AS "referrerHost", device, country, visitor_hash AS "visitorHash",
         created_at AS "createdAt"
       FROM clicks WHERE link_id = @id ORDER BY id`,
      { id: link.id },
    ),
  );
}
