import { PATHS } from '../../client/api-paths.ts';
import type { ErrorAnswer, Operations } from '../../client/api-types.ts';
import { withoutRoutes } from './without-routes.ts';

export type OperationId = keyof typeof PATHS & keyof Operations;
export type Answer<Id extends OperationId> = Operations[Id]['answer'];
export type Query<Id extends OperationId> = Operations[Id]['query'];

type Given<Name extends string, Value> = undefined extends Value
  ? { [Key in Name]?: Value | undefined }
  : object extends Value
    ? { [Key in Name]?: Value | undefined }
    : { [Key in Name]: Value };

/** The input of an operation: `parameters`, `query` and `body`, if the route declares them. */
export type CallInput<Id extends OperationId> = Given<'parameters', Operations[Id]['parameters']> &
  Given<'query', Operations[Id]['query']> &
  Given<'body', Operations[Id]['body']>;

/** A refused or failed call. `message` says what to do about it. */
export class ApiError extends Error {
  /** The service's own code; `NETWORK_ERROR` without an answer. */
  readonly code: string;
  /** The HTTP status; null without an answer. */
  readonly status: number | null;
  /** What is wrong with each member of the body, by its path. */
  readonly details: ReadonlyMap<string, string>;
  /** When the service accepts requests again, if it says so. */
  retryAfterSeconds: number | null = null;

  constructor(code: string, message: string, status: number | null, details: ReadonlyMap<string, string> = new Map()) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

/** How calls are sent: which credential, and what to do with a refusal. */
export interface CallOptions {
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

interface LooseInput {
  parameters?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/**
 * Calls one operation of the API and returns its answer.
 *
 * @throws ApiError with the service's message, or `NETWORK_ERROR`; `AbortError` when the signal aborts
 */
export async function call<Id extends OperationId>(
  id: Id,
  input: CallInput<Id>,
  options: CallOptions = {},
): Promise<Answer<Id>> {
  const { parameters, query, body } = input as LooseInput;
  const [method = 'GET', path = ''] = PATHS[id].split(' ');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters?.[name] ?? ''));
  // a file is sent as it is
  const isFile = body instanceof Blob;
  const type = isFile ? 'text/csv' : 'application/json';
  const headers = { ...options.headers, ...(body === undefined ? {} : { 'content-type': type }) };
  const init = {
    method,
    headers,
    ...(body === undefined ? {} : { body: isFile ? body : JSON.stringify(body) }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  };
  const isCreation = id.startsWith('create');
  try {
    const response = await fetch(filled + queryText(query), init);
    const answer = parsed(await response.text());
    // a page of a proxy may say 200, too
    const isAnswered = response.ok && (answer !== null || response.status === 204);
    if (!isAnswered) throw refusalOf(response, answer, isCreation);
    return answer as Answer<Id>;
  } catch (thrown) {
    if (thrown instanceof ApiError || options.signal?.aborted) throw thrown;
    const advice = isCreation ? LOOK_FIRST : 'Check your connection, then try again.';
    throw new ApiError('NETWORK_ERROR', `The server does not answer. ${advice}`, null);
  }
}

/** A request without an answer may have been carried out, and what it creates would be there twice. */
const LOOK_FIRST = 'This may have been created nevertheless: look before you try again.';

function refusalOf({ status, headers }: Response, answer: unknown, isCreation: boolean): ApiError {
  const error = (answer as Partial<ErrorAnswer> | null)?.error;
  if (error?.message === undefined) {
    const isRefused = status >= 400 && status < 500;
    const advice = isCreation && !isRefused ? LOOK_FIRST : 'Try again.';
    return new ApiError('UNEXPECTED_ANSWER', `Something in front of the server answered ${status}. ${advice}`, status);
  }
  const details = new Map((error.details ?? []).map(({ path, message }) => [path, withoutRoutes(message)]));
  const refusal = new ApiError(error.code, withoutRoutes(error.message), status, details);
  refusal.retryAfterSeconds = Number(headers.get('retry-after')) || null;
  return refusal;
}

/** `?limit=20&status=paid`, without empty values; an empty text without any. */
function queryText(query: Record<string, unknown> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '');
  const text = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
