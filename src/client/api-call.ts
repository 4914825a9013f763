/** How a method of the client calls the service. */
export interface ApiCall {
  /** `GET /api/partners/{id}`. */
  readonly route: string;
  /** The names of its parameters in order: those of the path, then `body` and `query`. */
  readonly takes?: readonly string[];
  /** The JSON by default; the pages of a list; the response itself, unread; or nothing. */
  readonly answers?: 'list' | 'response' | 'nothing';
  /** The body is sent as it is. */
  readonly isRaw?: true;
  /** It needs no credential, and gets none. */
  readonly isPublic?: true;
  /** A POST that changes nothing when it is repeated: always, or where the body has this member. */
  readonly idempotent?: true | string;
}

/** One request, ready to be sent as often as it takes. */
export interface ApiRequest {
  method: string;
  /** The path with its query. */
  path: string;
  body: string | Uint8Array<ArrayBuffer> | null;
  /** True when it may be sent again although it is unknown whether an earlier attempt took effect. */
  isIdempotent: boolean;
  isPublic: boolean;
  /** True when the response is handed on unread, whatever its type, also a redirect. */
  isResponse: boolean;
}

/** Always safe to send again; a JSON Merge Patch sets the same values again. */
const IDEMPOTENT_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE'];

/**
 * The request of a call with these arguments.
 *
 * @throws TypeError for a path parameter that is no text, or that no path can hold
 */
export function requestOf(call: ApiCall, values: readonly unknown[]): ApiRequest {
  const given = new Map((call.takes ?? []).map((name, index) => [name, values[index]]));
  const [method = 'GET', template = ''] = call.route.split(' ');
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => segment(name, given.get(name)));
  const body = given.get('body');
  return {
    method,
    path: path + queryText(given.get('query')),
    body: bodyOf(call, body),
    isIdempotent: IDEMPOTENT_METHODS.includes(method) || isRepeatable(call, body),
    isPublic: call.isPublic === true,
    isResponse: call.answers === 'response',
  };
}

function isRepeatable({ idempotent }: ApiCall, body: unknown): boolean {
  if (typeof idempotent !== 'string') return idempotent === true;
  return typeof body === 'object' && body !== null && Boolean((body as Record<string, unknown>)[idempotent]);
}

function segment(name: string, value: unknown): string {
  // with these, the URL would be that of another route: the list instead of the resource
  const isElsewhere = typeof value !== 'string' || ['', '.', '..'].includes(value);
  if (isElsewhere) throw new TypeError(`${name} must be a non-empty string other than "." and ".."`);
  return encodeURIComponent(value);
}

function bodyOf({ isRaw }: ApiCall, body: unknown): ApiRequest['body'] {
  if (body === undefined || body === null) return null;
  return isRaw ? (body as string | Uint8Array<ArrayBuffer>) : JSON.stringify(body);
}

/** `?limit=20&status=paid`, without members that are undefined or null. */
function queryText(query: unknown): string {
  const pairs = Object.entries((query ?? {}) as Record<string, unknown>)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]): [string, string] => [name, String(value)]);
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? '' : `?${text}`;
}
