/** The content of a `RefbridgeError`. */
export interface ErrorFacts {
  code: string;
  message: string;
  /** The HTTP status; null without an answer. */
  status?: number | null;
  /** Every problem of the input, of a `ValidationError`. */
  details?: readonly { path: string; message: string }[];
  /** The `X-Request-Id` of the answer, which the service also logs. */
  requestId?: string | null;
  /** How long the service asks to wait. */
  retryAfterMs?: number | null;
  cause?: unknown;
}

/**
 * Why a call failed. Each code of the service has its own class (`NotFoundError`); an unknown code of a newer service is a
 * plain `RefbridgeError`.
 */
export class RefbridgeError extends Error {
  override readonly name: string = 'RefbridgeError';
  /** `NOT_FOUND`. */
  readonly code: string;
  /** The HTTP status; null without an answer. */
  readonly status: number | null;
  /** Every problem of the input, of a `ValidationError`; otherwise empty. */
  readonly details: readonly { path: string; message: string }[];
  /** The `X-Request-Id` of the answer, which the service also logs; null without one. */
  readonly requestId: string | null;
  /** How long the service asks to wait; null if it does not. */
  readonly retryAfterMs: number | null;
  /**
   * The number of requests that were sent. A `DuplicateInvoiceError` after more than one means that an earlier attempt was
   * counted, and only its answer was lost.
   */
  attempts = 1;

  constructor({ code, message, status, details, requestId, retryAfterMs, cause }: ErrorFacts) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status ?? null;
    this.details = details ?? [];
    this.requestId = requestId ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
  }
}

/** No answer within the time limit. Whether the call took effect is unknown. */
export class TimeoutError extends RefbridgeError {
  override readonly name = 'TimeoutError';
  override readonly code = 'TIMEOUT';
}

/** The service could not be reached, or the connection broke. Whether the call took effect is unknown. */
export class UnreachableError extends RefbridgeError {
  override readonly name = 'UnreachableError';
  override readonly code = 'UNREACHABLE';
}

/** The answer came from something other than the service, such as a proxy. */
export class UnexpectedAnswerError extends RefbridgeError {
  override readonly name = 'UnexpectedAnswerError';
  override readonly code = 'UNEXPECTED_ANSWER';
}

/** The client has no valid `baseUrl` or `apiKey`; nothing was sent. */
export class NotConfiguredError extends RefbridgeError {
  override readonly name = 'NotConfiguredError';
  override readonly code = 'NOT_CONFIGURED';
}
