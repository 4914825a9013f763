import { type ClickCookieOptions, clickCookie } from './click-cookie.ts';

/**
 * Wraps a fetch handler (`(request) => Response`): answers a visit with `?svc_id=` with the cookie. Passes all further
 * arguments on, and rethrows what the handler throws.
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

/** Copies responses with immutable headers: redirects, and results of `fetch`. */
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
