import { CACHE_CONTROL, type ClickCookieOptions, clickCookies } from './click-cookie.ts';

/** The part of Hono's context that is used here. */
interface HonoContext {
  req: { raw: Request };
  header(name: string, value: string, options?: { append?: boolean }): void;
}

/** Middleware for Hono: answers a visit with `?svc_id=` with the cookie. */
export function honoClickCookie(
  options: ClickCookieOptions = {},
): (context: HonoContext, next: () => Promise<void>) => Promise<void> {
  return async (context, next) => {
    await next();
    const cookies = clickCookies(context.req.raw, options);
    for (const cookie of cookies) context.header('Set-Cookie', cookie, { append: true });
    if (cookies.length > 0) context.header('Cache-Control', CACHE_CONTROL);
  };
}
