import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ClickCookieOptions, clickCookie } from './click-cookie.ts';

type Handler = (
  request: IncomingMessage & { originalUrl?: string; secure?: boolean },
  response: ServerResponse,
  next: () => void,
) => void;

/** Middleware for Express and compatible servers: answers a visit with `?svc_id=` with the cookie. */
export function expressClickCookie(options: ClickCookieOptions = {}): Handler {
  return (request, response, next) => {
    const { headers, originalUrl, secure } = request;
    const isSecure = options.secure ?? (secure || undefined);
    const cookie = clickCookie(
      { headers, url: originalUrl ?? request.url },
      isSecure === undefined ? options : { ...options, secure: isSecure },
    );
    if (cookie !== null && !response.headersSent) response.appendHeader('Set-Cookie', cookie);
    next();
  };
}
