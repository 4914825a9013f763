import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';
import { createReferrer, type Referrer, unique } from '../helpers/story.ts';

const BLANK = {
  customerEmail: '',
  customerName: '  ',
  customerAvatar: '',
  currency: '',
  eventName: ' ',
  invoiceId: '',
  paymentProcessor: '',
};

const UNSHOWABLE = [
  { customerEmail: 'nobody' },
  { customerEmail: 'ada lovelace <ada@example.com>' },
  { customerName: 'x'.repeat(256) },
  { customerName: 'a lone surrogate \ud800' },
  { customerAvatar: '/avatars/ada.png' },
  { customerAvatar: 'data:image/png;base64,iVBORw0KGgo=' },
  { customerAvatar: 'javascript:alert(1)' },
];

describe('a lead or sale whose customer is badly described', () => {
  let app: TestApp;
  let referrer: Referrer;
  let lines: Record<string, unknown>[] = [];
  beforeAll(async () => {
    const log = pino({ level: 'debug' }, { write: (line) => lines.push(JSON.parse(line)) });
    app = await createTestApp('sqlite', { service: { log } });
    referrer = await createReferrer(app);
  });
  afterAll(() => app.close());
  beforeEach(() => {
    lines = [];
  });

  const post = (path: string, body: object) => app.call('POST', path, { body });
  const leftOutLines = () => lines.filter(({ leftOut }) => leftOut !== undefined);

  it('counts, and blank members are treated as absent', async () => {
    const clickId = await referrer.click();
    const customerExternalId = unique('user');
    const known = { clickId, customerExternalId, eventName: 'Sign up', customerEmail: 'ada@example.com' };
    expect((await post('/api/track/lead', known)).status).toBe(200);
    const again = await post('/api/track/lead', { ...BLANK, ...known, customerEmail: ' ', eventName: 'Log in' });
    expect([again.status, again.body.customer.email]).toEqual([200, 'ada@example.com']);
    for (const path of ['/api/track/sale', '/api/sales']) {
      const { status, body } = await post(path, { ...BLANK, clickId, customerExternalId, amount: 500 });
      expect([status, body]).toEqual([
        200,
        {
          eventName: 'Purchase',
          customer: { externalId: customerExternalId, email: 'ada@example.com', name: null },
          sale: expect.objectContaining({ currency: 'usd', invoiceId: null, paymentProcessor: 'custom' }),
        },
      ]);
    }
    expect(leftOutLines()).toEqual([]);
  });

  it.each(UNSHOWABLE)('counts without %j, and the log says so without the value', async (member) => {
    const [name = '', value = ''] = Object.entries(member)[0] ?? [];
    const person = { clickId: await referrer.click(), customerExternalId: unique('user'), ...member };
    const nothing = { externalId: person.customerExternalId, email: null, name: null };
    const answers = [
      await post('/api/track/lead', { ...person, eventName: 'Sign up' }),
      await post('/api/track/sale', { ...person, amount: 500 }),
      await post('/api/sales', { ...person, amount: 500 }),
    ];
    expect(answers.map(({ status, body }) => [status, body.customer])).toEqual(Array(3).fill([200, nothing]));
    expect((await app.call('GET', `/api/customers/${person.customerExternalId}`)).body.avatar).toBeNull();
    expect(leftOutLines()).toMatchObject(Array(3).fill({ accountId: app.accountId, leftOut: [name] }));
    expect(JSON.stringify(lines)).not.toContain(JSON.stringify(value).slice(1, -1));
  });

  it.each([{ clickId: ' ' }, { customerExternalId: '' }, { eventName: '' }, { eventName: 'x'.repeat(256) }])(
    'is refused when a required member is blank or too long: %j',
    async (member) => {
      const lead = { clickId: await referrer.click(), customerExternalId: unique('user'), eventName: 'Sign up' };
      expect((await post('/api/track/lead', { ...lead, ...member })).body.error.code).toBe('VALIDATION_ERROR');
    },
  );

  it('may claim a click of a via link with a blank page and referrer', async () => {
    const { body: link } = await app.call('GET', `/api/links/${referrer.linkId}`);
    const click = { domain: link.domain, key: link.key, url: '', referrer: ' ' };
    expect((await post('/api/track/click', click)).status).toBe(200);
  });
});
