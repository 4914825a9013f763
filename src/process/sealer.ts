import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import type { Sealer } from '../app/service.ts';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + NONCE_BYTES;
const CIPHER = 'aes-256-gcm';

/**
 * AES-256-GCM. Format: version byte, nonce, tag, ciphertext; the version is authenticated as well. A random 96-bit
 * nonce is safe for the few secrets that one key seals.
 *
 * @param key 32 bytes; it seals and hashes
 * @param fallbacks keys of 32 bytes each, which only open what they have sealed
 */
export function createSealer(key: Buffer, fallbacks: readonly Buffer[] = []): Sealer {
  const current = createSecretKey(key);
  const earlier = prepared(fallbacks);
  return {
    seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, current, nonce).setAAD(Buffer.of(VERSION));
      const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), ciphertext]);
    },
    open: (sealed) => openWithAny([current, ...earlier], sealed),
    keyOf(sealed) {
      if (openWith(current, sealed) !== null) return 'current';
      return keyAmong(earlier, sealed);
    },
    digest: (text) => createHmac('sha256', current).update(text).digest('hex'),
  };
}

function openWithAny(keys: readonly KeyObject[], sealed: Buffer): string {
  for (const key of keys) {
    const text = openWith(key, sealed);
    if (text !== null) return text;
  }
  throw new Error('A stored secret cannot be decrypted: SECRET_KEY (or secret.key) is not the key that encrypted it');
}

function keyAmong(fallbacks: readonly KeyObject[], sealed: Buffer): 'fallback' | null {
  return fallbacks.some((key) => openWith(key, sealed) !== null) ? 'fallback' : null;
}

/** Once for all secrets, because it takes longer than opening one, and a file of payouts opens thousands. */
function prepared(keys: readonly Buffer[]): KeyObject[] {
  return keys.map((key) => createSecretKey(key));
}

/** Null when another key sealed the bytes, or none. */
function openWith(key: KeyObject, sealed: Buffer): string | null {
  if (sealed.length < HEADER_BYTES + TAG_BYTES || sealed[0] !== VERSION) return null;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(1, HEADER_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.of(VERSION))
    .setAuthTag(sealed.subarray(HEADER_BYTES, HEADER_BYTES + TAG_BYTES));
  try {
    return decipher.update(sealed.subarray(HEADER_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
}

interface KeySource {
  /** Null while there is no key. */
  readKey(): Buffer | null;
  createKey(): Buffer;
}

/** Seals and hashes with a key that this process or another one creates for the first secret. */
export function createSealerOnDemand({ readKey, createKey }: KeySource, fallbacks: readonly Buffer[]): Sealer {
  const earlier = prepared(fallbacks);
  let sealer: Sealer | null = null;
  const withKey = () => {
    sealer ??= createSealer(readKey() ?? createKey(), fallbacks);
    return sealer;
  };
  /** Creates no key: nothing can have been sealed with one that does not exist. */
  const withKeyIfAny = () => {
    const key = sealer === null ? readKey() : null;
    if (key !== null) sealer = createSealer(key, fallbacks);
    return sealer;
  };
  return {
    seal: (text) => withKey().seal(text),
    digest: (text) => withKey().digest(text),
    open: (sealed) => withKeyIfAny()?.open(sealed) ?? openWithAny(earlier, sealed),
    keyOf: (sealed) => withKeyIfAny()?.keyOf(sealed) ?? keyAmong(earlier, sealed),
  };
}
