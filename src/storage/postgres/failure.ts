import pg from 'pg';
import { DatabaseFailure } from '../database.ts';

interface Failure {
  message: string;
  retryable: boolean;
}

const CONFLICT = { message: 'Other writes were in the way', retryable: true };
const FAILING_CODES: Record<string, Failure> = {
  // serialization failure, deadlock
  '40001': CONFLICT,
  '40P01': CONFLICT,
  // lock_timeout
  '55P03': { message: 'What this would change is locked', retryable: true },
  '25006': { message: 'The database does not accept writes', retryable: false },
  '25P03': { message: 'The database took too long', retryable: false },
  '57014': { message: 'The database took too long', retryable: true },
};
const FAILING_CLASSES: Record<string, Failure> = {
  '08': { message: 'The connection to the database was lost', retryable: true },
  '53': { message: 'The database is out of space, memory or connections', retryable: false },
  '57': { message: 'The database is shutting down or starting', retryable: true },
  '58': { message: 'The database had an input/output error', retryable: false },
  XX: { message: 'The database had an internal error', retryable: false },
};

/** What PostgreSQL or its connection failed at; undefined when the query itself was refused, or a bug threw. */
export function databaseFailureFrom(error: unknown): DatabaseFailure | undefined {
  if (error instanceof RangeError || error instanceof TypeError) return undefined;
  // Everything that pg throws and the server did not send is about the connection.
  if (!(error instanceof pg.DatabaseError)) {
    return new DatabaseFailure('The connection to the database was lost', true, error);
  }
  const code = error.code ?? '';
  if (code === '0A000' && error.routine === 'RevalidateCachedQuery') {
    return new DatabaseFailure('The schema was changed by another process', true, error);
  }
  const failing = FAILING_CODES[code] ?? FAILING_CLASSES[code.slice(0, 2)];
  return failing && new DatabaseFailure(failing.message, failing.retryable, error);
}

/** True for what only the presence of other units caused: the connection is as good as before. */
export function isConflict(failure: DatabaseFailure): boolean {
  return failure.cause instanceof pg.DatabaseError && FAILING_CODES[failure.cause.code ?? ''] === CONFLICT;
}

/** True for an answer to COMMIT after which certainly nothing was kept: a constraint, a conflict, no space. */
export function isUndoneForSure(error: unknown): boolean {
  return error instanceof pg.DatabaseError && ['23', '40', '53'].includes((error.code ?? '').slice(0, 2));
}
