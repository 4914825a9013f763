import packageJson from '../../../package.json' with { type: 'json' };
import { ERROR_STATUS, type ErrorCode, firstCauseOf, messageOf, type Problem, ServiceError } from '../../errors.ts';
import { retryAfterOf } from '../../exchange/retries.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import type { Remote } from './remote.ts';

/** The codes that a different version of the server may cause. */
const MAYBE_OTHER_VERSION: readonly string[] = ['VALIDATION_ERROR', 'NOT_FOUND', 'METHOD_NOT_ALLOWED'];

/** The server did not answer, or a proxy said that it cannot now: a later attempt may succeed. */
export class NoAnswer extends CommandError {
  /** Null when nobody has named a time. */
  readonly retryAfterMs: number | null;

  constructor(message: string, { retryAfterMs, cause }: { retryAfterMs: number | null; cause?: unknown }) {
    super(EXIT.unreachable, message, cause);
    this.retryAfterMs = retryAfterMs;
  }
}

/** With these, a proxy says that the server cannot answer now. */
const PASSING_STATUSES = [429, 502, 503, 504];

/** The error for a request without an answer. */
export function unreachable(url: string, error: unknown, method: string): NoAnswer {
  return new NoAnswer(
    `${url} does not answer: ${reasonOf(error)}.\nCheck the address, and that the server is running.${perhapsDone(method)}`,
    { retryAfterMs: null, cause: error },
  );
}

/** The error for a file whose end has not arrived. */
export function cutOff(url: string, error: unknown): NoAnswer {
  return new NoAnswer(`The connection to ${url} broke: ${reasonOf(error)}.\nThe file is incomplete: do not use it.`, {
    retryAfterMs: null,
    cause: error,
  });
}

function reasonOf(error: unknown): string {
  const cause = firstCauseOf(error);
  const isPlain = cause instanceof Error && 'code' in cause && cause.code === 'ERR_SSL_WRONG_VERSION_NUMBER';
  return isPlain ? 'it speaks http, not https' : messageOf(cause);
}

/** A sentence for a change whose answer is unknown. */
function perhapsDone(method: string): string {
  return method === 'GET' ? '' : ' The server may still have done it: check before you repeat it.';
}

/**
 * The error for a refused request: a `ServiceError` with the server's code and message, or a `CommandError` that says
 * what to do about the key, the address or the version.
 */
export async function refusal(
  remote: Remote,
  response: Response,
  { method, versionOf }: { method: string; versionOf(): Promise<string> },
): Promise<ServiceError | CommandError> {
  const { url, keyFrom } = remote;
  const { status } = response;
  const location = response.headers.get('location');
  if (status >= 300 && status < 400 && location !== null) {
    return new CommandError(EXIT.unreachable, `${url} redirects to ${location}: use that address.`);
  }
  const error = errorIn(await response.text().catch(() => ''));
  if (error === null) {
    const perhaps = status >= 500 ? perhapsDone(method) : '';
    const message = `${url} answered ${status}, but not as Refbridge does: check the address and any proxy in front of the server.${perhaps}`;
    if (!PASSING_STATUSES.includes(status)) return new CommandError(EXIT.unreachable, message);
    return new NoAnswer(message, { retryAfterMs: retryAfterOf(response.headers) });
  }
  if (error.code === 'UNAUTHORIZED') {
    return new CommandError(
      EXIT.configuration,
      `${url} does not accept the API key from ${keyFrom}. It may be revoked, mistyped, or for another server.\n` +
        'Create a key in the dashboard or with `refbridge keys create` on the server, then run `refbridge login`.',
    );
  }
  if (error.code === 'FORBIDDEN') {
    return new CommandError(EXIT.unexpected, `${error.message} (the API key from ${keyFrom}).`);
  }
  const { code, message } = error;
  // of a newer server
  if (!isKnown(code)) return new CommandError(EXIT.unexpected, `${message} (${code})${await versionHint(versionOf)}`);
  const retryAfterMs = retryAfterOf(response.headers);
  const retry = retryAfterMs ? { retryAfterSeconds: Math.ceil(retryAfterMs / 1_000) } : {};
  const problems = error.details === undefined ? {} : { details: error.details };
  const hint = MAYBE_OTHER_VERSION.includes(code) ? await versionHint(versionOf) : '';
  return new ServiceError(code, message + hint, { ...retry, ...problems });
}

async function versionHint(versionOf: () => Promise<string>): Promise<string> {
  const version = await versionOf().catch(() => packageJson.version);
  if (version === packageJson.version) return '';
  return `. The server runs version ${version}, this command line is version ${packageJson.version}: use the same`;
}

function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_STATUS, code);
}

interface AnsweredError {
  code: string;
  message: string;
  details?: Problem[];
}

/** Null for any other answer. Without its details if they have another form. */
function errorIn(text: string): AnsweredError | null {
  try {
    const { code, message, details } = JSON.parse(text).error;
    if (typeof code !== 'string' || typeof message !== 'string') return null;
    return isProblems(details) ? { code, message, details } : { code, message };
  } catch {
    return null;
  }
}

function isProblems(details: unknown): details is Problem[] {
  return Array.isArray(details) && details.every(isProblem);
}

function isProblem(problem: Partial<Problem> | null): boolean {
  return typeof problem?.path === 'string' && typeof problem.message === 'string';
}
