import { describe, expect, it, vi } from 'vitest';
import { openSecrets, sealSecrets } from '../../src/deliveries/endpoint-secrets.ts';
import { createSealer } from '../../src/process/sealer.ts';

const sealer = () => createSealer(Buffer.alloc(32, 1));

describe('the secrets of an endpoint', () => {
  it('come back as they were sealed, with the domain of the shop', () => {
    const box = sealer();
    const { sealedSecrets, ...counts } = sealSecrets(box, { secrets: ['whsec_1', 'ß'], authorization: 'Bearer x' });
    expect(counts).toEqual({ secretCount: 2, hasAuthorization: true });
    expect(openSecrets(box, { sealedSecrets, shopDomain: 'ada.myshopify.com' })).toEqual({
      secrets: ['whsec_1', 'ß'],
      authorization: 'Bearer x',
      shopDomain: 'ada.myshopify.com',
    });
  });

  it('are not legible where they are kept', () => {
    const { sealedSecrets } = sealSecrets(sealer(), { secrets: ['whsec_legible'], authorization: 'letter-to-letter' });
    expect(sealedSecrets?.toString('latin1')).not.toMatch(/legible|letter|secrets/);
  });

  it('are nothing at all until one is set', () => {
    const none = sealSecrets(sealer(), { secrets: [], authorization: null });
    expect(none).toEqual({ sealedSecrets: null, secretCount: 0, hasAuthorization: false });
    const opened = openSecrets(sealer(), { sealedSecrets: null, shopDomain: null });
    expect(opened).toEqual({ secrets: [], authorization: null, shopDomain: null });
  });

  it('are decrypted once, however many deliveries come', () => {
    const box = sealer();
    const open = vi.spyOn(box, 'open');
    const first = sealSecrets(box, { secrets: ['first'], authorization: null });
    const rotated = sealSecrets(box, { secrets: ['rotated'], authorization: null });
    for (let delivery = 0; delivery < 10; delivery++) {
      expect(openSecrets(box, { ...first, shopDomain: null }).secrets).toEqual(['first']);
      expect(openSecrets(box, { ...rotated, shopDomain: null }).secrets).toEqual(['rotated']);
    }
    expect(open).toHaveBeenCalledTimes(2);
  });

  it('stay closed to another key, also after the right one opened them', () => {
    const box = sealer();
    const sealed = { ...sealSecrets(box, { secrets: ['whsec_1'], authorization: null }), shopDomain: null };
    expect(openSecrets(box, sealed).secrets).toEqual(['whsec_1']);
    expect(() => openSecrets(createSealer(Buffer.alloc(32, 2)), sealed)).toThrow();
  });
});
