import type { RequestLike } from '../client/click-id.ts';
import { CACHE_CONTROL, type ClickCookieOptions, clickCookies } from './click-cookie.ts';

/**
 * Wraps a fetch handler (`(request) => Response`): answers a visit with `?svc_id=` with the cookie. Passes all further
 * arguments on, and rethrows what the handler throws.
 */
export function withClickCookie<Rest extends unknown[]>(
  handler: (request: Request, ...rest: Rest) => Response | Promise<Response>,
  options: ClickCookieOptions = {},
): (request: Request, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    const cookies = clickCookies(request, options);
    const response = await handler(request, ...rest);
    // Bun's handlers return nothing after an upgrade to a WebSocket
    return cookies.length === 0 || !response ? response : withCookies(response, cookies);
  };
}

/** The part of a response that is written here: a `Response`, Next.js's `NextResponse`. */
interface ResponseLike {
  readonly headers: { append(name: string, value: string): void; set(name: string, value: string): void };
}

/**
 * Adds the cookie of a visit with `?svc_id=` to a response, and returns that response. For the proxy or middleware of Next.js:
 * `return setClickCookie(request, NextResponse.next())`.
 *
 * @throws TypeError for a response with immutable headers, such as the result of `fetch`
 */
export function setClickCookie<R extends ResponseLike>(
  request: RequestLike,
  response: R,
  options: ClickCookieOptions = {},
): R {
  const cookies = clickCookies(request, options);
  if (cookies.length > 0) addCookies(response, cookies);
  return response;
}

function withCookies(response: Response, cookies: readonly string[]): Response {
  const own = copyOf(response);
  try {
    addCookies(own, cookies);
  } catch {
    // neither copied nor changed, as Deno's upgrade to a WebSocket: the visit is worth more than its click
  }
  return own;
}

/**
 * The same response, for this visitor alone: a handler may return one and the same to everybody, and the headers of redirects
 * and of results of `fetch` are immutable. An upgrade to a WebSocket (101) cannot be copied on every runtime.
 */
function copyOf(response: Response): Response {
  try {
    return new Response(response.body, response);
  } catch {
    return response;
  }
}

function addCookies({ headers }: ResponseLike, cookies: readonly string[]): void {
  for (const cookie of cookies) headers.append('Set-Cookie', cookie);
  headers.set('Cache-Control', CACHE_CONTROL);
}
