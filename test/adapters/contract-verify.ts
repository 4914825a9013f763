import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import type { Adapter, EndpointSecrets } from '../../adapters/contract/adapter.ts';
import { ServiceError } from '../../src/errors.ts';
import { type AdapterUnderTest, firstFixtureOf, NOW, SECRET, signed } from './contract-subject.ts';
import { AUTHORIZATION, endpointOf, secretsOf } from './endpoints.ts';

const OTHER_SECRET = `whsec_${Buffer.from('the secret of another endpoint').toString('base64')}`;

/** The signatures that every adapter accepts and refuses. */
export function verifyTests(subject: AdapterUnderTest): void {
  const { adapter, fixtures } = subject;

  /** Returns the error, after checking that it reveals no secret. */
  async function refusal(request: Parameters<Adapter['verify']>[0], secrets: EndpointSecrets): Promise<ServiceError> {
    const error = await adapter.verify(request, secrets, NOW).then(
      () => new Error('was accepted'),
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof ServiceError)) throw error;
    expect(error.code).toBe('INVALID_SIGNATURE');
    const shown = inspect(error, { depth: 10 });
    for (const hidden of hiddenWordsOf(secrets, request.headers)) expect(shown).not.toContain(hidden);
    return error;
  }

  test('accepts every fixture that is signed with the secret', async () => {
    for (const fixture of fixtures) await adapter.verify(signed(adapter, fixture), secretsOf(adapter, SECRET), NOW);
    expect(fixtures).not.toHaveLength(0);
  });

  test('accepts a delivery that was under way for some minutes', async () => {
    await expect(
      adapter.verify(signed(adapter, firstFixtureOf(subject), NOW - 240_000), secretsOf(adapter, SECRET), NOW),
    ).resolves.toBeUndefined();
  });

  test('accepts the second of two secrets, and refuses when none matches', async () => {
    const request = signed(adapter, firstFixtureOf(subject));
    await expect(adapter.verify(request, secretsOf(adapter, OTHER_SECRET, SECRET), NOW)).resolves.toBeUndefined();
    await refusal(request, secretsOf(adapter, OTHER_SECRET));
    await refusal(request, secretsOf(adapter, OTHER_SECRET, `${SECRET}x`));
  });

  test('refuses a body with one changed byte, wherever it is', async () => {
    const { rawBody, headers } = signed(adapter, firstFixtureOf(subject));
    for (const position of [0, Math.floor(rawBody.length / 2), rawBody.length - 1]) {
      const changed = Buffer.from(rawBody);
      changed[position] = (changed[position] ?? 0) ^ 1;
      await refusal({ rawBody: changed, headers }, secretsOf(adapter, SECRET));
    }
    await refusal({ rawBody: rawBody.subarray(1), headers }, secretsOf(adapter, SECRET));
    await refusal(
      { rawBody: Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), rawBody]), headers },
      secretsOf(adapter, SECRET),
    );
  });

  test('refuses a delivery without the headers that sign it', async () => {
    const error = await refusal({ rawBody: firstFixtureOf(subject).rawBody, headers: {} }, secretsOf(adapter, SECRET));
    expect(error.message).toMatch(/missing/i);
  });

  test('refuses headers that are not signatures', async () => {
    const { rawBody, headers } = signed(adapter, firstFixtureOf(subject));
    for (const text of ['', ' ', ',', '=', 't=,v1=', 't=1', 'ts=1;h1=', 'v1,', '💥', 'x'.repeat(10_000)]) {
      const broken = Object.fromEntries(Object.keys(headers).map((name) => [name, text]));
      await refusal({ rawBody, headers: broken }, secretsOf(adapter, SECRET));
    }
  });

  test('refuses everything while the endpoint has no secret, or an empty one', async () => {
    const request = signed(adapter, firstFixtureOf(subject));
    for (const secrets of [[], [''], ['  ']]) {
      const error = await refusal(request, endpointOf(adapter, secrets, ''));
      expect(error.message).toMatch(/secret/);
    }
  });

  if (adapter.signsTime) {
    test('refuses a stale delivery and says how old it is', async () => {
      const error = await refusal(
        signed(adapter, firstFixtureOf(subject), NOW - 3_600_000),
        secretsOf(adapter, SECRET),
      );
      expect(error.message).toMatch(/3600 s/);
    });

    test('refuses a delivery from the future, and accepts one from a clock that is some minutes ahead', async () => {
      const fixture = firstFixtureOf(subject);
      const error = await refusal(signed(adapter, fixture, NOW + 301_000), secretsOf(adapter, SECRET));
      expect(error.message).toMatch(/301 s ahead/);
      const ahead = signed(adapter, fixture, NOW + 240_000);
      await expect(adapter.verify(ahead, secretsOf(adapter, SECRET), NOW)).resolves.toBeUndefined();
    });

    // in whole seconds, as signatures state them
    test.each([
      ['accepts', -300, 999],
      ['refuses', -300, 1_000],
      ['accepts', 300, 0],
      ['refuses', 300, -1],
    ] as const)('%s a time of %i s from now, %i ms later', async (verdict, seconds, laterMs) => {
      const request = signed(adapter, firstFixtureOf(subject), NOW + seconds * 1_000);
      const verification = adapter.verify(request, secretsOf(adapter, SECRET), NOW + laterMs);
      if (verdict === 'accepts') await expect(verification).resolves.toBeUndefined();
      else await expect(verification).rejects.toThrow(/ 301 s (old|ahead), and 300 s are allowed/);
    });

    test('refuses a signed time that is not a number', async () => {
      const request = signed(adapter, firstFixtureOf(subject), Number.NaN);
      // Stripe's package does not sign one; stripe-verify.test.ts does
      if (!JSON.stringify(request.headers).includes('NaN')) return;
      await refusal(request, secretsOf(adapter, SECRET));
    });
  }
}

function hiddenWordsOf(endpoint: EndpointSecrets, headers: Record<string, unknown>): string[] {
  const values = Object.entries(headers).filter(([name]) => /authorization|signature|hmac/.test(name));
  const words = values.flatMap(([, value]) => [String(value), ...String(value).split(/[,;=\s]/)]);
  return [SECRET, OTHER_SECRET, AUTHORIZATION, ...endpoint.secrets, ...words].filter((word) => word.trim().length > 15);
}
