import { describe, expect, it } from 'vitest';
import { bearerTokenHash, createBearerToken, isBearerToken } from '../../src/app/bearer-token.ts';

describe('an API key', () => {
  it('is rb_live_, 30 random characters and 6 of checksum', () => {
    for (let round = 0; round < 200; round++) {
      const key = createBearerToken('rb_live_');
      expect(key).toMatch(/^rb_live_[0-9A-Za-z]{36}$/);
      expect(isBearerToken('rb_live_', key)).toBe(true);
    }
  });

  it('is never generated twice', () => {
    expect(new Set(Array.from({ length: 1000 }, () => createBearerToken('rb_live_')))).toHaveLength(1000);
  });

  it('with one mistyped character fails its checksum', () => {
    const key = createBearerToken('rb_live_');
    for (let index = 'rb_live_'.length; index < key.length; index++) {
      const typo = key.slice(0, index) + (key[index] === 'a' ? 'b' : 'a') + key.slice(index + 1);
      expect(isBearerToken('rb_live_', typo), typo).toBe(false);
    }
  });

  it('is not an embed token, and an embed token is not an API key', () => {
    expect(isBearerToken('rb_embed_', createBearerToken('rb_live_'))).toBe(false);
    expect(isBearerToken('rb_live_', createBearerToken('rb_embed_'))).toBe(false);
    const body = createBearerToken('rb_embed_').slice('rb_embed_'.length);
    expect(isBearerToken('rb_live_', `rb_live_${body}`)).toBe(false);
  });

  it.each(['', 'rb_live_', 'rb_live_ä', `rb_live_${'0'.repeat(37)}`, `rb_live_${'0'.repeat(36)}\n`])(
    'is not %j',
    (text) => {
      expect(isBearerToken('rb_live_', text)).toBe(false);
    },
  );

  it('is stored as its SHA-256, which does not contain it', () => {
    expect(bearerTokenHash('rb_live_example')).toMatch(/^[0-9a-f]{64}$/);
    expect(bearerTokenHash('a')).not.toBe(bearerTokenHash('b'));
  });
});
