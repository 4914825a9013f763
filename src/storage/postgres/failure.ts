import pg from 'pg';
import { NumberOutOfRange } from '../../errors.ts';
import { DatabaseFailure } from '../database.ts';
import { NO_MORE_CONNECTIONS, OUT_OF_RESOURCES, RIGHTS_MISSING } from '../unavailable.ts';
import { hasTooMany } from './address.ts';

interface Failure {
  message: string;
  retryable: boolean;
}

const CONFLICT = { message: 'Other writes were in conflict with this one', retryable: true };
const FAILING_CODES: Record<string, Failure> = {
  // serialization failure, deadlock
  '40001': CONFLICT,
  '40P01': CONFLICT,
  // lock_timeout
  '55P03': { message: 'The rows to change are locked', retryable: true },
  '25006': { message: 'The database does not accept writes', retryable: false },
  // of another owner's table: somebody else has migrated or restored the database
  '42501': { message: RIGHTS_MISSING, retryable: false },
  '25P03': { message: 'The database took too long', retryable: false },
  '25P04': { message: 'The database took too long', retryable: true },
  '57014': { message: 'The database took too long', retryable: true },
};
const CONNECTION_LOST = 'The connection to the database was lost';

const FAILING_CLASSES: Record<string, Failure> = {
  '08': { message: CONNECTION_LOST, retryable: true },
  '53': { message: OUT_OF_RESOURCES, retryable: false },
  '57': { message: 'The database is shutting down or starting up', retryable: true },
  '58': { message: 'The database had an input/output error', retryable: false },
  XX: { message: 'The database had an internal error', retryable: false },
};

/** The failure of PostgreSQL or of the connection; undefined when the query itself is wrong, or a bug threw. */
export function databaseFailureFrom(error: unknown): DatabaseFailure | undefined {
  if (error instanceof DatabaseFailure) return error;
  if (error instanceof NumberOutOfRange || error instanceof TypeError) return undefined;
  // Any error that pg throws and the server did not send is a connection error.
  if (!(error instanceof pg.DatabaseError)) {
    return lostConnection(error);
  }
  const code = error.code ?? '';
  if (code === '0A000' && error.routine === 'RevalidateCachedQuery') {
    return new DatabaseFailure('The schema was changed by another process', true, error);
  }
  const failing = FAILING_CODES[code] ?? FAILING_CLASSES[code.slice(0, 2)];
  return failing && new DatabaseFailure(failing.message, failing.retryable, error);
}

/** The connection ended in the middle of a transaction, of which nothing is stored. */
export function lostConnection(cause?: unknown): DatabaseFailure {
  return new DatabaseFailure(CONNECTION_LOST, true, cause);
}

/** Why no connection could be opened. Another attempt may succeed, because others end. */
export function connectionFailure(error: unknown): DatabaseFailure {
  return new DatabaseFailure(hasTooMany(error) ? NO_MORE_CONNECTIONS : 'The database cannot be reached', true, error);
}

/** True when the statement ran longer than its `statement_timeout`. */
export function isStatementTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '57014';
}

/** True for a conflict with other units, after which the connection is still usable. */
export function isConflict(failure: DatabaseFailure): boolean {
  return failure.cause instanceof pg.DatabaseError && FAILING_CODES[failure.cause.code ?? ''] === CONFLICT;
}

/** True when a connection on which a transaction failed like this may run the next one. */
export function isConnectionSound(error: unknown): boolean {
  if (!(error instanceof DatabaseFailure)) return true;
  return isConflict(error) || (error.cause instanceof pg.DatabaseError && error.cause.code === '55P03');
}

/** True for an error of COMMIT that proves that nothing was stored: a constraint, a conflict, no space. */
export function isCertainlyRolledBack(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ['23', '40', '53'].includes((error.code ?? '').slice(0, 2));
}
