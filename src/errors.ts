/**
 * Every error code that the service answers, with its status. `http/` maps a thrown `ServiceError` to its answer;
 * any other exception is a bug and becomes 500 `INTERNAL_ERROR`.
 */
export const ERROR_STATUS = {
  INVALID_CLICK_ID: 400,
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  INVALID_SIGNATURE: 401,
  FORBIDDEN: 403,
  ORIGIN_NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  DUPLICATE_INVOICE: 409,
  INVALID_STATE: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  EXPECTATION_FAILED: 417,
  RATE_LIMIT_EXCEEDED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
  OUTCOME_UNKNOWN: 503,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** One problem of a request: where it is (`metadata.plan`, `` for the whole body) and what to do about it. */
export interface Problem {
  path: string;
  message: string;
}

export interface ServiceErrorOptions {
  /** Only for `VALIDATION_ERROR`: every problem of the request. */
  details?: Problem[];
  /** When a retry makes sense; becomes `Retry-After`. */
  retryAfterSeconds?: number;
  /** Only for `FORBIDDEN`: the scope that the API key lacks; becomes `WWW-Authenticate`. */
  neededScope?: string;
  /** What a log says instead of the message, where that quotes the request. */
  logMessage?: string;
  cause?: unknown;
}

/** An operational error: it has a code of `ERROR_STATUS`, and its message alone tells the caller what to do. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: Problem[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly neededScope: string | undefined;
  readonly logMessage: string;

  constructor(code: ErrorCode, message: string, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServiceError';
    this.code = code;
    this.status = ERROR_STATUS[code];
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.neededScope = options.neededScope;
    this.logMessage = options.logMessage ?? message;
  }
}

/**
 * The database has a schema version that differs from this program's, and only a migration would change that. Version 0
 * is an empty database.
 */
export class SchemaMismatch extends Error {
  readonly databaseVersion: number;
  readonly programVersion: number;

  constructor(databaseVersion: number, programVersion: number) {
    super(
      databaseVersion > programVersion
        ? `The database has schema version ${databaseVersion}, but this program knows only ${programVersion}: ` +
            'a newer release has used it. Start that release, or restore a backup from before the upgrade'
        : `The database has schema version ${databaseVersion}, but this program needs ${programVersion}`,
    );
    this.name = 'SchemaMismatch';
    this.databaseVersion = databaseVersion;
    this.programVersion = programVersion;
  }
}

/**
 * A number beyond ±(2^53 − 1), which JavaScript and JSON cannot hold exactly. Stored amounts are far smaller, but their
 * sum may not be.
 */
export class NumberOutOfRange extends ServiceError {
  constructor() {
    super(
      'INVALID_STATE',
      'The requested amounts add up to more than ±9,007,199,254,740,991 minor units, the largest number that JSON can hold exactly. ' +
        'Request a shorter period or fewer rows, and correct wrong amounts with refunds or adjustments',
    );
    this.name = 'NumberOutOfRange';
  }
}

/** @throws NumberOutOfRange when one of these sums, which JavaScript has added up, may be inexact */
export function requireExact(sums: Iterable<number>): void {
  for (const sum of sums) if (!Number.isSafeInteger(sum)) throw new NumberOutOfRange();
}

/** How many problems an error names. A body may have a hundred thousand, and their error would have megabytes. */
export const PROBLEMS_MAX = 100;

/** One error for all problems of a request, of which it names the first hundred. */
export function validationError(problems: Problem[]): ServiceError {
  const details = problems.slice(0, PROBLEMS_MAX);
  const text = details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ');
  const rest = problems.length > details.length ? '; and more' : '';
  return new ServiceError('VALIDATION_ERROR', text + rest, { details });
}

/**
 * Also for resources of another account, which must look the same as missing ones.
 *
 * @param advice what to do, if there is more to say than that the id is wrong
 */
export function notFound(what: string, id: string, advice?: string): ServiceError {
  const problem = `No ${what} ${JSON.stringify(excerpt(id))} in this account`;
  return new ServiceError('NOT_FOUND', advice === undefined ? problem : `${problem}: ${advice}`);
}

const EXCERPT_CHARACTERS_MAX = 200;

/** The start of a text that anybody may have sent: enough to recognize it, too little to fill a log. */
export function excerpt(text: string, charactersMax = EXCERPT_CHARACTERS_MAX): string {
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1)}…`;
}

/** The database is full, locked or unreachable. The caller may retry; nothing of this attempt was stored. */
export function unavailable(why: string, cause?: unknown, retryAfterSeconds = 2): ServiceError {
  return new ServiceError('UNAVAILABLE', `${why}. Nothing was recorded; try again shortly`, {
    cause,
    retryAfterSeconds,
  });
}

/**
 * The commit may or may not have reached the disk. The caller must not repeat what is not idempotent, which could count
 * twice.
 */
export function outcomeUnknown(why: string, cause?: unknown, retryAfterSeconds = 2): ServiceError {
  return new ServiceError(
    'OUTCOME_UNKNOWN',
    `${why}, so it is unknown whether this request was recorded. Check before you send it again; leads, refunds and ` +
      'sales with an invoiceId never count twice',
    { cause, retryAfterSeconds },
  );
}

/** True for a failure of the database, or of what it depends on, that may pass; it is not the fault of the request. */
export function isTemporary(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (error.code === 'UNAVAILABLE' || error.code === 'OUTCOME_UNKNOWN');
}

/** The message of whatever was thrown; the name of an error without one. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
}

/** What the network or the database said, rather than what was made of it. */
export function firstCauseOf(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  // one error for each address of the host
  const deeper: unknown = thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause;
  return deeper instanceof Error ? firstCauseOf(deeper) : thrown;
}
