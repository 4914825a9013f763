import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSecrets, sealSecrets } from '../../src/deliveries/endpoint-secrets.ts';
import { createSealer } from '../../src/process/sealer.ts';
import { createTestDatabase, type TestDatabase } from '../helpers/databases.ts';
import { createTestService } from '../helpers/service.ts';

describe('the secrets of an endpoint', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase('sqlite');
  });
  afterAll(() => test.remove());

  const serviceWith = (key: number) =>
    createTestService({ database: test.database, sealer: createSealer(Buffer.alloc(32, key)) });

  it('come back as they were sealed, with the domain of the shop', () => {
    const service = serviceWith(1);
    const { sealedSecrets, ...counts } = sealSecrets(service.sealer, {
      secrets: ['whsec_1', 'ß'],
      authorization: 'Bearer x',
    });
    expect(counts).toEqual({ secretCount: 2, hasAuthorization: true });
    expect(openSecrets(service, { sealedSecrets, shopDomain: 'ada.myshopify.com' })).toEqual({
      secrets: ['whsec_1', 'ß'],
      authorization: 'Bearer x',
      shopDomain: 'ada.myshopify.com',
    });
  });

  it('are not legible where they are kept', () => {
    const { sealedSecrets } = sealSecrets(serviceWith(1).sealer, {
      secrets: ['whsec_legible'],
      authorization: 'letter-to-letter',
    });
    expect(sealedSecrets?.toString('latin1')).not.toMatch(/legible|letter|secrets/);
  });

  it('are nothing at all until one is set', () => {
    const none = sealSecrets(serviceWith(1).sealer, { secrets: [], authorization: null });
    expect(none).toEqual({ sealedSecrets: null, secretCount: 0, hasAuthorization: false });
    const opened = openSecrets(serviceWith(1), { sealedSecrets: null, shopDomain: null });
    expect(opened).toEqual({ secrets: [], authorization: null, shopDomain: null });
  });

  it('are decrypted once, however many deliveries come', () => {
    const service = serviceWith(1);
    const open = vi.spyOn(service.sealer, 'open');
    const first = sealSecrets(service.sealer, { secrets: ['first'], authorization: null });
    const rotated = sealSecrets(service.sealer, { secrets: ['rotated'], authorization: null });
    for (let delivery = 0; delivery < 10; delivery++) {
      expect(openSecrets(service, { ...first, shopDomain: null }).secrets).toEqual(['first']);
      expect(openSecrets(service, { ...rotated, shopDomain: null }).secrets).toEqual(['rotated']);
    }
    expect(open).toHaveBeenCalledTimes(2);
  });

  it('stay closed to another key, also after the right one opened them', () => {
    const service = serviceWith(1);
    const sealed = { ...sealSecrets(service.sealer, { secrets: ['whsec_1'], authorization: null }), shopDomain: null };
    expect(openSecrets(service, sealed).secrets).toEqual(['whsec_1']);
    expect(() => openSecrets(serviceWith(2), sealed)).toThrow();
  });
});
