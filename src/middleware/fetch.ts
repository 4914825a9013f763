import { type ClickCookieOptions, clickCookie } from './click-cookie.ts';

/**
 * Wraps a handler of the fetch standard (`(request) => Response`): a visit with `?svc_id=` is answered with the cookie.
 * Whatever else the runtime passes is handed on; what the handler throws is thrown.
 */
export function withClickCookie<Rest extends unknown[]>(
  handler: (request: Request, ...rest: Rest) => Response | Promise<Response>,
  options: ClickCookieOptions = {},
): (request: Request, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    const cookie = clickCookie(request, options);
    const response = await handler(request, ...rest);
    return cookie === null ? response : withHeader(response, cookie);
  };
}

/** The headers of some responses cannot be changed: redirects, and what `fetch` answered. Those are copied. */
function withHeader(response: Response, cookie: string): Response {
  try {
    response.headers.append('Set-Cookie', cookie);
    return response;
  } catch {
    const copy = new Response(response.body, response);
    copy.headers.append('Set-Cookie', cookie);
    return copy;
  }
}
