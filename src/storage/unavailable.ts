import { outcomeUnknown, ServiceError, unavailable } from '../errors.ts';
import type { DatabaseFailure } from './database.ts';

export const DISK_FULL = 'The database or its disk is full';
export const OUT_OF_RESOURCES = 'The database is out of space, memory or connections';
export const NO_MORE_CONNECTIONS = 'The database accepts no further connections';
export const DAMAGED = 'The database is damaged';
export const DISK_FAILED = 'The disk failed to store a write, so its content is uncertain';
export const RIGHTS_MISSING = 'The database user lacks rights';
export const DATABASE_GONE = 'The database was deleted or replaced while the server uses it';

/** How long a failure that does not resolve by itself usually lasts. Conflicts, locks and restarts end within seconds. */
const RETRY_AFTER_SECONDS: Readonly<Record<string, number>> = { [DISK_FULL]: 30, [OUT_OF_RESOURCES]: 30 };
/** Failures that only an operator can resolve, with what to do. */
const ADVICE: Readonly<Record<string, string>> = {
  [RIGHTS_MISSING]:
    'Nothing of this request was recorded. The operator must make the user of DATABASE_URL the owner of the schema and of ' +
    'every table in it',
  [DAMAGED]: 'Nothing was recorded. The operator must stop the server and restore a backup',
  [DISK_FAILED]: 'Nothing of this request was recorded. The operator must check the disk, then restart the server',
  [DATABASE_GONE]:
    'Nothing of this request was recorded. The operator must stop the server, put the right database in its place, and ' +
    'start the server',
};
const OPERATOR_RETRY_AFTER_SECONDS = 300;

/** The 503 for a failure of the engine, which says when another attempt makes sense. */
export function unavailableBecause(failure: DatabaseFailure): ServiceError {
  const { message } = failure;
  const advice = ADVICE[message];
  if (advice === undefined) return unavailable(message, failure, RETRY_AFTER_SECONDS[message]);
  return new ServiceError('UNAVAILABLE', `${message}. ${advice}`, {
    cause: failure,
    retryAfterSeconds: OPERATOR_RETRY_AFTER_SECONDS,
  });
}

/** The 503 for a commit that the disk may not have stored. */
export function uncertainBecause(failure: DatabaseFailure): ServiceError {
  const why = failure.message === DATABASE_GONE ? DATABASE_GONE : 'The disk failed to store a write';
  return outcomeUnknown(why, failure, OPERATOR_RETRY_AFTER_SECONDS);
}
