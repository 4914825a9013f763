/** Building blocks for every processor's `backfill.ts`. */

import { createHash } from 'node:crypto';
import type { z } from 'zod';
import { ServiceError } from '../../src/errors.ts';

const KEY_PREFIX = 'backfill_';
const KEY_CHARACTERS = 32;
const ID = /^[\w-]{1,64}$/;

/**
 * The key of a delivery that was made of a record of the API: the same for the same type and record, and another one when
 * the record has changed.
 */
export function backfillKey(type: string, record: unknown): string {
  const digest = createHash('sha256')
    .update(`${type} ${JSON.stringify(record)}`)
    .digest('hex');
  return `${KEY_PREFIX}${digest.slice(0, KEY_CHARACTERS)}`;
}

/** True for a key that `backfillKey` made: the processor may have sent a delivery about the same record, under its own key. */
export function isBackfillKey(deliveryKey: string): boolean {
  return deliveryKey.startsWith(KEY_PREFIX);
}

/**
 * The members of a record that its delivery is made with.
 *
 * @param listed whose record of what it is: `Polar listed an order`
 * @throws ServiceError `VALIDATION_ERROR`, which names members but never their values
 */
export function parseRecord<Schema extends z.ZodType>(
  listed: string,
  schema: Schema,
  record: unknown,
): z.output<Schema> {
  const { success, data, error } = schema.safeParse(record);
  if (success) return data;
  const members = error.issues.map(({ path }) => path.join('.') || 'the whole').join(', ');
  const { id } = Object(record) as { id?: unknown };
  const which = typeof id === 'string' && ID.test(id) ? ` (${id})` : '';
  throw new ServiceError('VALIDATION_ERROR', `${listed}${which} of an unexpected form: ${members}`);
}

/** How a request to a processor's API failed. */
export interface ApiFailure {
  /** The processor's own name for itself. */
  processor: string;
  /** What was asked for: `orders`. */
  what: string;
  /** The status of the answer; null without one. */
  status: number | null;
  /** What the API or the network said. Must not contain the access token. */
  reason: string;
  /** How long the API asks to wait. */
  retryAfterSeconds?: number | undefined;
  /** What the access token must be allowed, for a refusal. */
  permission: string;
}

/** The error of a request that failed: temporary for a limit, a failure of the API or the network. */
export function apiError({ processor, what, status, reason, retryAfterSeconds, permission }: ApiFailure): ServiceError {
  if (status === 401 || status === 403) {
    return new ServiceError(
      'VALIDATION_ERROR',
      `${processor} refused the access token for ${what} (${status}): check it; it needs ${permission}`,
    );
  }
  if (status === null || status === 408 || status === 409 || status === 429 || status >= 500) {
    const answer = status === null ? reason : `status ${status}`;
    const options = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
    return new ServiceError('UNAVAILABLE', `${processor} did not answer the request for ${what}: ${answer}`, options);
  }
  return new ServiceError(
    'VALIDATION_ERROR',
    `${processor} answered the request for ${what} with status ${status}: ${reason}`,
  );
}
