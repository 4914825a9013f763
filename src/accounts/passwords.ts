import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ServiceError } from '../errors.ts';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);

/**
 * Takes about 60 ms and 32 MB on Node's thread pool. The parameters are stored with each hash, so they can be raised
 * later.
 */
const COST = { N: 2 ** 15, r: 8, p: 1 };
const SALT_BYTES = 16;
const KEY_BYTES = 32;
/** About three seconds. Without a limit, attempts from many addresses would keep everybody from signing in for hours. */
const WAITING_MAX = 50;
const RETRY_SECONDS = 5;

/** Used for comparison when there is no password, so that the response time does not reveal whether one exists. */
const NOBODYS = `scrypt$${COST.N}$${COST.r}$${COST.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** The hash to store: `scrypt$N$r$p$salt$key`, the last two in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await deriveKey(password, salt, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** True when the password matches the hash. For null it takes just as long and returns false. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = (stored ?? NOBODYS).split('$');
  const expected = Buffer.from(key, 'base64url');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const actual = await deriveKey(password, Buffer.from(salt, 'base64url'), cost);
  return timingSafeEqual(actual, expected) && stored !== null;
}

let last: Promise<unknown> = Promise.resolve();
let waiting = 0;

/**
 * Derives one key at a time per process. Commits wait for the disk on the same few threads of Node, and many sign-ins
 * at once would keep all of them busy. The password is normalized, because keyboards may compose the same letters
 * differently.
 *
 * @throws ServiceError `RATE_LIMIT_EXCEEDED` when so many wait that this one would take seconds
 */
async function deriveKey(password: string, salt: Buffer, cost: typeof COST): Promise<Buffer> {
  if (waiting >= WAITING_MAX) {
    const message = 'Too many people are signing in at once; try again in a few seconds';
    throw new ServiceError('RATE_LIMIT_EXCEEDED', message, { retryAfterSeconds: RETRY_SECONDS });
  }
  const options = { ...cost, maxmem: 256 * cost.N * cost.r };
  waiting += 1;
  const derived = last.then(() => derive(password.normalize('NFKC'), salt, KEY_BYTES, options));
  last = derived
    .catch(() => undefined)
    .then(() => {
      waiting -= 1;
    });
  return derived;
}
