import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import polar from '../../adapters/polar/index.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const SECRET = 'polar_whs_of_this_endpoint';
const BODY = Buffer.from('{"type":"order.paid","note":"Größe 5"}');

function endpoint(...secrets: string[]) {
  return { secrets, authorization: null, shopDomain: null };
}

function signed(secret = SECRET, now = NOW, rawBody = BODY): Record<string, string> {
  return polar.sign(rawBody, endpoint(secret), now);
}

function verify(headers: IncomingHttpHeaders, secrets = [SECRET], rawBody = BODY): Promise<void> {
  return polar.verify({ rawBody, headers }, endpoint(...secrets), NOW);
}

describe('a signature of Polar', () => {
  // Polar's package uses the system clock
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW, toFake: ['Date'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each([
    'polar_whs_of_this_endpoint',
    'whsec_with_underscores_that_base64_does_not_have',
    'whsec_dGhpcnR5LXR3byByYW5kb20gYnl0ZXM=',
  ])('made with %s as plain text is accepted, because Polar itself signs that way', async (secret) => {
    await expect(verify(signed(secret), [secret])).resolves.toBeUndefined();
  });

  test('made as Standard Webhooks requires, with the bytes that the secret encodes, is accepted', async () => {
    const key = Buffer.from('thirty-two random bytes');
    const secret = `whsec_${key.toString('base64')}`;
    const headers = signed(secret);
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${BODY}`;
    const signature = createHmac('sha256', key).update(content).digest('base64');
    expect(signature).not.toBe(headers['webhook-signature']?.slice('v1,'.length));
    await expect(verify({ ...headers, 'webhook-signature': `v1,${signature}` }, [secret])).resolves.toBeUndefined();
  });

  test('is valid for a type that the package does not know, and for a body that is not JSON', async () => {
    for (const text of ['{"type":"dispute.created"}', '{}', '[]', 'no JSON']) {
      const rawBody = Buffer.from(text);
      await expect(verify(signed(SECRET, NOW, rawBody), [SECRET], rawBody), text).resolves.toBeUndefined();
    }
  });

  test('counts at any place among several', async () => {
    const headers = signed();
    const others = `v1,${'A'.repeat(43)}= v2,nothing`;
    for (const text of [`${headers['webhook-signature']} ${others}`, `${others} ${headers['webhook-signature']}`]) {
      await expect(verify({ ...headers, 'webhook-signature': text })).resolves.toBeUndefined();
    }
    await expect(verify({ ...headers, 'webhook-signature': others })).rejects.toThrow('does not match');
  });

  test('is refused when it brings more signatures than a rotation needs', async () => {
    const headers = signed();
    const many = Array(6).fill(headers['webhook-signature']).join(' ');
    await expect(verify({ ...headers, 'webhook-signature': many })).rejects.toThrow('has 6 signatures');
  });

  test('covers the id: another id needs another signature', async () => {
    await expect(verify({ ...signed(), 'webhook-id': 'another' })).rejects.toThrow('does not match');
  });

  test('is valid for 300 s in both directions, and the reason shows both clocks', async () => {
    for (const now of [NOW - 300_000, NOW + 300_000]) {
      await expect(verify(signed(SECRET, now))).resolves.toBeUndefined();
    }
    await expect(verify(signed(SECRET, NOW - 301_000))).rejects.toThrow(
      'The signature is 301 s old, and 300 s are allowed: Polar says 2026-11-20T11:54:59.000Z, ' +
        'this machine’s clock says 2026-11-20T12:00:00.000Z',
    );
    await expect(verify(signed(SECRET, NOW + 301_000))).rejects.toThrow('The signature is 301 s ahead');
  });

  test.each([
    ['no headers', {}, 'Headers are missing (webhook-id, webhook-timestamp, webhook-signature)'],
    ['no signature', { ...signed(), 'webhook-signature': '' }, 'Headers are missing (webhook-signature)'],
    ['a repeated header', { ...signed(), 'webhook-id': ['1', '2'] as never }, 'Headers are missing (webhook-id)'],
    ['a date for a timestamp', { ...signed(), 'webhook-timestamp': '2026-11-20' }, 'is not a number of seconds'],
    ['another secret', signed('another'), 'The secret of this endpoint does not match'],
  ])('with %s is refused, and the operator reads why', async (_what, headers, message) => {
    await expect(verify(headers)).rejects.toMatchObject({
      code: 'INVALID_SIGNATURE',
      message: expect.stringContaining(message),
    });
  });

  test('is not valid for bytes that are not UTF-8, nor with a byte order mark that was not signed', async () => {
    const broken = Buffer.from([0x7b, 0xff, 0x7d]);
    const headers = signed(SECRET, NOW, Buffer.from(broken.toString('utf8')));
    await expect(verify(headers, [SECRET], broken)).rejects.toThrow('not UTF-8');
    await expect(verify(signed(), [SECRET], Buffer.concat([Buffer.from('\uFEFF'), BODY]))).rejects.toThrow(
      'does not match',
    );
  });
});

test('a replayed body is the same delivery, a different body is another one', () => {
  const keyOf = (text: string, now: number) => polar.sign(Buffer.from(text), endpoint(SECRET), now)['webhook-id'];
  expect(keyOf('{"a":1}', NOW)).toBe(keyOf('{"a":1}', NOW + 1000));
  expect(keyOf('{"a":1}', NOW)).not.toBe(keyOf('{"a":2}', NOW));
  expect(() => polar.sign(BODY, endpoint(), NOW)).toThrow('none is set');
});
