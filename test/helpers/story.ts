import { randomBytes } from 'node:crypto';
import type { Processor } from '../../src/core/processor.ts';
import { type Answer, call, type TestApp } from './app.ts';

/** A partner with a link, and functions that bring visitors and customers through it. */
export interface Referrer {
  partnerId: string;
  linkId: string;
  /** Records a click the way a visitor makes one, who comes again if it is lost; returns its id. */
  click(): Promise<string>;
  /** A visitor signs up; returns the visitor's click id. */
  lead(customerExternalId: string, fields?: Record<string, unknown>): Promise<string>;
}

/** The user agent of a browser. */
export const VISITOR =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** A click is lost, or a link is not found in time, after a second, which a busy machine may need. */
const VISITS_MAX = 10;

let counter = 0;

/** Text that no other test of this run uses. */
export function unique(prefix: string): string {
  counter += 1;
  return `${prefix}_${randomBytes(4).toString('hex')}${counter}`;
}

/** Follows a link, again when the service says that it lost the click; returns the click's id. */
export async function clickThrough(
  follow: () => Promise<{ status: number; headers: Headers }>,
  visit = 1,
): Promise<string> {
  const { status, headers } = await follow();
  const id = URL.parse(headers.get('location') ?? '')?.searchParams.get('svc_id');
  if (typeof id === 'string') return id;
  const isLost = status === 503 || headers.get('x-refbridge-click') === 'none; reason=lost';
  if (!isLost || visit === VISITS_MAX) throw new Error(`The redirect gave no click id: ${status}`);
  return clickThrough(follow, visit + 1);
}

/** A new partner of the account's program, with one link on the service's own domain. */
export async function createReferrer(
  app: Pick<TestApp, 'call' | 'url'>,
  partner: Record<string, unknown> = {},
): Promise<Referrer> {
  const name = unique('partner');
  const created = await created201(
    app.call('POST', '/api/partners', { body: { name, email: `${name}@example.com`, ...partner } }),
  );
  const partnerId = created.body.id as string;
  const domain = new URL(app.url).host;
  const link = await created201(
    app.call('POST', '/api/links', { body: { partnerId, domain, url: 'https://shop.example.com/start?plan=pro#top' } }),
  );
  const click = () =>
    clickThrough(() => app.call('GET', `/${link.body.key}`, { key: null, headers: { 'user-agent': VISITOR } }));
  return {
    partnerId,
    linkId: link.body.id,
    click: () => click(),
    async lead(customerExternalId, fields = {}) {
      const clickId = await click();
      const body = { clickId, eventName: 'Sign up', customerExternalId, ...fields };
      const answer = await app.call('POST', '/api/track/lead', { body });
      if (answer.status !== 200) throw new Error(`The lead was refused: ${answer.text}`);
      return clickId;
    },
  };
}

/** An endpoint of one processor, and a function that delivers to it. */
export interface EndpointUnderTest {
  id: string;
  /** Posts a payload with a valid signature; `url` is another process on the same database. */
  deliver(payload: unknown, eventType?: string, url?: string): Promise<Answer>;
}

export async function createEndpoint(
  app: Pick<TestApp, 'call' | 'url' | 'service'>,
  processor: Processor,
  settings: Record<string, unknown> = {},
): Promise<EndpointUnderTest> {
  const secret = `whsec_${randomBytes(16).toString('hex')}`;
  const body = { processor, secrets: [secret], ...settings };
  const endpoint = await created201(app.call('POST', '/api/webhook-endpoints', { body }));
  const adapter = await app.service.adapterFor(processor);
  const path = new URL(endpoint.body.url).pathname;
  return {
    id: endpoint.body.id,
    deliver(payload, eventType, url = app.url) {
      const rawBody = Buffer.from(JSON.stringify(payload));
      const secrets = { secrets: [secret], authorization: null, shopDomain: endpoint.body.shopDomain };
      const headers = adapter.sign(rawBody, secrets, app.service.clock(), eventType);
      return call(url + path, 'POST', { body: rawBody, headers });
    },
  };
}

async function created201(call: Promise<Answer>): Promise<Answer> {
  const answer = await call;
  if (answer.status !== 201) throw new Error(`Not created: ${answer.status} ${answer.text}`);
  return answer;
}
