import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import stripe from '../../adapters/stripe/index.ts';
import { bodyOf } from './stripe-events.ts';

const NOW = Date.UTC(2026, 10, 20, 12);
const SECRET = 'whsec_c3RyaXBlIHRlc3Qgc2VjcmV0';

describe('verification', () => {
  const rawBody = bodyOf('invoice.paid--renewal');
  const header = stripe.sign(rawBody, secretsOf(SECRET), NOW)['stripe-signature'] ?? '';

  test('a signature 301 s old is refused with its age, one 300 s old is accepted', async () => {
    await expect(verify(rawBody, header, [SECRET], NOW + 300_000)).resolves.toBeUndefined();
    await expect(verify(rawBody, header, [SECRET], NOW + 301_000)).rejects.toThrow(
      'The signature is right but 301 s old, and 300 s are allowed',
    );
  });

  test('a stale signature with another secret counts as wrong, not as stale', async () => {
    await expect(verify(rawBody, header, ['whsec_other'], NOW + 301_000)).rejects.toThrow('does not match');
  });

  test.each([[['sk_live_51Example']], [['whsec_other', 'rk_test_51Example']]])(
    'an API key among the secrets is named as the mistake: %j',
    async (secrets) => {
      await expect(verify(rawBody, header, secrets, NOW)).rejects.toThrow(
        'A secret of this endpoint is an API key, which signs no deliveries: set the signing secret (whsec_…) instead',
      );
      await expect(verify(rawBody, header, [...secrets, SECRET], NOW)).resolves.toBeUndefined();
    },
  );

  test('while a secret is rolled, Stripe signs with both, and either is enough', async () => {
    const [timestamp, right] = header.split(',');
    const rolled = `${timestamp},v1=${'0'.repeat(64)},${right},v0=${'1'.repeat(64)}`;
    await expect(verify(rawBody, rolled, [SECRET], NOW)).resolves.toBeUndefined();
  });

  test('a signed time that is in the future, not a number or given twice is refused', async () => {
    const at = (time: string) => {
      const signature = createHmac('sha256', SECRET).update(`${time}.${rawBody}`).digest('hex');
      return `t=${time},v1=${signature}`;
    };
    const seconds = NOW / 1000;
    await expect(verify(rawBody, at(`${seconds + 300}`), [SECRET], NOW)).resolves.toBeUndefined();
    await expect(verify(rawBody, at(`${seconds + 301}`), [SECRET], NOW)).rejects.toThrow('301 s ahead');
    await expect(verify(rawBody, at('NaN'), [SECRET], NOW)).rejects.toThrow('no timestamp (t=)');
    const ahead = at(`${seconds + 9999}`);
    await expect(verify(rawBody, `t=${seconds},${ahead}`, [SECRET], NOW)).rejects.toThrow('no timestamp (t=)');
  });

  test('a header that arrives twice is accepted when one of the two is right', async () => {
    await expect(verify(rawBody, ['t=1,v1=aa', header], [SECRET], NOW)).resolves.toBeUndefined();
    await expect(verify(rawBody, ['t=1,v1=aa', 't=2,v1=bb'], [SECRET], NOW)).rejects.toThrow('does not match');
  });

  test('a delivery signed with an empty secret is refused by an endpoint that has none', async () => {
    const seconds = NOW / 1000;
    const forged = createHmac('sha256', '').update(`${seconds}.${rawBody}`).digest('hex');
    const forgery = `t=${seconds},v1=${forged}`;
    for (const secrets of [[], [''], [' '], ['', SECRET]]) {
      await expect(verify(rawBody, forgery, secrets, NOW)).rejects.toHaveProperty('code', 'INVALID_SIGNATURE');
    }
    await expect(verify(rawBody, header, ['', SECRET], NOW)).resolves.toBeUndefined();
  });

  test('the message tells the operator which of the possible problems to look at', async () => {
    await expect(verify(rawBody, undefined, [SECRET], NOW)).rejects.toThrow('Stripe-Signature header is missing');
    await expect(verify(rawBody, 'nonsense', [SECRET], NOW)).rejects.toThrow('no timestamp (t=) or no signature');
    await expect(verify(rawBody, `t=${NOW / 1000},v0=abc`, [SECRET], NOW)).rejects.toThrow('no signature of scheme v1');
    await expect(verify(rawBody, header, [], NOW)).rejects.toThrow('no signing secret yet');
    await expect(verify(rawBody, header, ['whsec_a', 'whsec_b'], NOW)).rejects.toThrow(
      'None of the 2 secrets of this endpoint matches',
    );
  });

  test('bytes that are not UTF-8, and a byte order mark, do not pass through lenient decoding', async () => {
    const broken = Buffer.concat([rawBody.subarray(0, 20), Buffer.from([0xff]), rawBody.subarray(20)]);
    const signed = stripe.sign(broken, secretsOf(SECRET), NOW)['stripe-signature'] ?? '';
    await expect(verify(broken, signed, [SECRET], NOW)).rejects.toThrow('not plain UTF-8');
    const marked = Buffer.concat([Buffer.from('\uFEFF'), rawBody]);
    await expect(verify(marked, header, [SECRET], NOW)).rejects.toThrow('not plain UTF-8');
  });

  test('a thin event with a valid signature is ignored, but not refused', async () => {
    const thin = bodyOf('v1.checkout.session.completed--thin');
    const { 'stripe-signature': signed } = stripe.sign(thin, secretsOf(SECRET), NOW);
    await expect(verify(thin, signed, [SECRET], NOW)).resolves.toBeUndefined();
  });

  test('signing without a secret is an error that says what is missing', () => {
    expect(() => stripe.sign(rawBody, secretsOf(), NOW)).toThrow('signing secret (whsec_…): none is set');
  });
});

function verify(rawBody: Buffer, header: string | string[] | undefined, secrets: string[], now: number): Promise<void> {
  const headers = header === undefined ? {} : { 'stripe-signature': header };
  // Node's types say a string for this header; another server may still pass a list
  return stripe.verify({ rawBody, headers: headers as Record<string, string> }, secretsOf(...secrets), now);
}

function secretsOf(...secrets: string[]) {
  return { secrets, authorization: null, shopDomain: null };
}
