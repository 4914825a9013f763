import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { hasSecrets, openForChange, openSecrets, sealSecrets } from '../../src/deliveries/endpoint-secrets.ts';
import { createSealer } from '../../src/process/sealer.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/databases.ts';
import { createTestService } from '../helpers/service.ts';

const of = { processor: 'revenuecat', settings: { acceptTestEvents: true } } as const;

describe('the secrets of an endpoint', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase('sqlite');
  });
  afterAll(() => test.remove());

  const serviceWith = (key = 1) =>
    createTestService({ database: test.database, sealer: createSealer(Buffer.alloc(32, key)) });

  it('are decrypted as they were sealed, together with its settings', () => {
    const box = serviceWith();
    const columns = sealSecrets(box.sealer, { secrets: ['whsec_1', 'ß'], authorization: 'Bearer x' });
    expect(columns.secretCounts).toEqual({ secrets: 2, authorization: 1 });
    expect(openSecrets(box, { ...of, ...columns })).toEqual({
      secrets: ['whsec_1', 'ß'],
      authorization: 'Bearer x',
      acceptTestEvents: true,
    });
  });

  it('are not readable in the database', () => {
    const { sealedSecrets } = sealSecrets(serviceWith().sealer, {
      secrets: ['whsec_legible'],
      authorization: 'letter-to-letter',
    });
    expect(sealedSecrets?.toString('latin1')).not.toMatch(/legible|letter|secrets/);
  });

  it('are null until one is set', () => {
    const none = sealSecrets(serviceWith().sealer, { secrets: [], authorization: null });
    expect(none).toEqual({ sealedSecrets: null, secretCounts: { secrets: 0, authorization: 0 } });
    expect(hasSecrets(none)).toBe(false);
    expect(openSecrets(serviceWith(), { ...of, settings: {}, sealedSecrets: null })).toEqual({
      secrets: [],
      authorization: null,
    });
  });

  it.each([[{ secrets: ['whsec_1'], authorization: null }], [{ secrets: [], authorization: 'Bearer x' }]])(
    'exist as soon as one of any kind is set: %j',
    (secrets) => {
      expect(hasSecrets(sealSecrets(serviceWith().sealer, secrets))).toBe(true);
    },
  );

  it("are exactly those that the processor's adapter declares", () => {
    const box = serviceWith();
    const { sealedSecrets } = sealSecrets(box.sealer, { secrets: ['whsec_1'], authorization: null });
    expect(openSecrets(box, { processor: 'stripe', settings: {}, sealedSecrets })).toEqual({
      secrets: ['whsec_1'],
      accessToken: null,
    });
  });

  it('do not include the access token, which verifies nothing', () => {
    const secrets = { secrets: [], accessToken: 'rk_live_example' };
    expect(hasSecrets(sealSecrets(serviceWith().sealer, secrets))).toBe(false);
  });

  it('are decrypted once, for any number of deliveries', () => {
    const box = serviceWith();
    const open = vi.spyOn(box.sealer, 'open');
    const first = sealSecrets(box.sealer, { secrets: ['first'], authorization: null });
    const rotated = sealSecrets(box.sealer, { secrets: ['rotated'], authorization: null });
    for (let delivery = 0; delivery < 10; delivery++) {
      expect(openSecrets(box, { ...of, ...first }).secrets).toEqual(['first']);
      expect(openSecrets(box, { ...of, ...rotated }).secrets).toEqual(['rotated']);
    }
    expect(open).toHaveBeenCalledTimes(2);
  });

  it('cannot be decrypted with another key, even after the right one was used', () => {
    const box = serviceWith();
    const sealed = { ...of, ...sealSecrets(box.sealer, { secrets: ['whsec_1'], authorization: null }) };
    expect(openSecrets(box, sealed).secrets).toEqual(['whsec_1']);
    expect(() => openSecrets(serviceWith(2), sealed)).toThrow();
  });

  it('can be given again after the key has changed, all at once', () => {
    const sealed = { ...of, ...sealSecrets(serviceWith().sealer, { secrets: ['whsec_1'], authorization: 'Bearer x' }) };
    const other = serviceWith(2);
    expect(() => openForChange(other, sealed, {})).toThrow('give secrets and authorization again');
    expect(() => openForChange(other, sealed, { secrets: ['whsec_2'] })).toThrow('give authorization again');
    const given = { secrets: ['whsec_2'], authorization: null };
    expect(openForChange(other, sealed, given)).toEqual({ secrets: [], authorization: null, acceptTestEvents: true });
    expect(openForChange(serviceWith(), sealed, {}).secrets).toEqual(['whsec_1']);
  });
});
