import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { engines } from '../helpers/databases.ts';
import { createReferrer, unique } from '../helpers/story.ts';

interface Token {
  publicToken: string;
  expires: Date;
}

/** The error that those clients throw. */
class ClientError extends Error {
  readonly code: string;
  readonly status: number;
  readonly isValidation: boolean;

  constructor(path: string, status: number, body: { error?: { code?: string; message?: string } }) {
    super(body.error?.message ?? 'Unknown error');
    this.code = body.error?.code ?? 'UNKNOWN';
    this.status = status;
    this.isValidation = status === 400 && path.includes('/track/');
  }
}

/**
 * What the clients `refport`, `refport-js` and `@refport/better-auth` send, and how they read the answer: the body
 * before the status, and any 2xx as success. The packages are not on npm.
 */
function clientFor(baseUrl: string, apiKey: string) {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: they trust the answer
    const answer = (await response.json()) as any;
    if (!response.ok) throw new ClientError(path, response.status, answer);
    return answer;
  };
  return {
    lead: (body: object) => post('/api/track/lead', body),
    sale: (body: object) => post('/api/track/sale', body),
    async token(body: object): Promise<Token> {
      const { publicToken, expires } = await post('/api/embed/token', body);
      return { publicToken, expires: new Date(expires) };
    },
  };
}

describe.each(engines)("Refport's clients, on %s", (engine) => {
  let app: TestApp;
  beforeAll(async () => {
    app = await createTestApp(engine);
  });
  afterAll(() => app.close());

  // a base that ends in a slash leads to a double slash
  it.each(['', '/', '//'])('report a lead and a sale with the base …%s', async (end) => {
    const client = clientFor(app.url + end, app.apiKey);
    const clickId = await (await createReferrer(app)).click();
    const customerExternalId = unique('user');
    const nothing = { customerName: null, customerEmail: null, customerAvatar: null, metadata: null };
    const lead = await client.lead({ clickId, eventName: 'sign_up', customerExternalId, ...nothing });
    expect(lead).toMatchObject({ click: { id: clickId }, customer: { externalId: customerExternalId } });
    const invoiceId = unique('in');
    const sale = { clickId, customerExternalId, amount: 4900, currency: 'usd', invoiceId, paymentProcessor: 'stripe' };
    const recorded = await client.sale(sale);
    expect(recorded).toMatchObject({ eventName: 'Purchase', sale: { amount: 4900, invoiceId, status: 'pending' } });
    await expect(client.sale(sale)).rejects.toMatchObject({ status: 409, code: 'DUPLICATE_INVOICE' });
  });

  it("get a token, and build the frame's address with it", async () => {
    const client = clientFor(`${app.url}/`, app.apiKey);
    const { publicToken, expires } = await client.token({
      tenantId: unique('tenant'),
      partner: {
        email: `${unique('partner')}@example.com`,
        name: 'Ana',
      },
    });
    expect(expires.getTime()).toBeGreaterThan(Date.now());
    const query = new URLSearchParams({
      token: publicToken,
      dynamicHeight: 'true',
      theme: 'dark',
      cssVars: JSON.stringify({ '--primary': '#0f766e' }),
      themeOptions: JSON.stringify({ backgroundColor: 'transparent' }),
    });
    for (const path of ['//embed/referrals', '/embed//referrals', '/embed/referrals/', '//embed/referrals/']) {
      const page = await app.call('GET', `${path}?${query}`, { key: null });
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.text).toContain('data-theme="dark"');
    }
  });

  it.each([
    [
      'an unknown click',
      (key: string) => clientFor(app.url, key).lead({ clickId: 'x', eventName: 'a', customerExternalId: 'b' }),
      400,
      'INVALID_CLICK_ID',
    ],
    ['a missing member', (key: string) => clientFor(app.url, key).sale({ clickId: 'x' }), 400, 'VALIDATION_ERROR'],
    ['a token of nobody', (key: string) => clientFor(app.url, key).token({ tenantId: 'nobody' }), 404, 'NOT_FOUND'],
    ['a wrong key', () => clientFor(app.url, 'wrong').token({ tenantId: 'x' }), 401, 'UNAUTHORIZED'],
  ])('read the error of %s', async (_what, call, status, code) => {
    const error = await call(app.apiKey).then(
      () => null,
      (thrown: ClientError) => thrown,
    );
    expect([error?.status, error?.code, error?.isValidation]).toEqual([status, code, status === 400]);
    expect(error?.message).not.toBe('');
  });
});
