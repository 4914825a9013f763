import { CACHE_CONTROL, type ClickCookieOptions, clickCookies } from './click-cookie.ts';

/** The part of a Node or Express request that is read here. */
interface NodeRequest {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  url?: string | undefined;
  originalUrl?: string;
  secure?: boolean;
}

/** The part of a Node or Express response that is written here. */
interface NodeResponse {
  readonly headersSent: boolean;
  appendHeader(name: string, value: string): unknown;
  setHeader(name: string, value: string): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: Node declares several signatures, and it is passed on as it is
  writeHead(...args: any[]): any;
}

/** Middleware for Express and compatible servers: answers a visit with `?svc_id=` with the cookie. */
export function expressClickCookie(
  options: ClickCookieOptions = {},
): (request: NodeRequest, response: NodeResponse, next: () => void) => void {
  return (request, response, next) => {
    const { headers, originalUrl, secure } = request;
    const isSecure = options.secure ?? (secure || undefined);
    const cookies = clickCookies(
      { headers, url: originalUrl ?? request.url },
      isSecure === undefined ? options : { ...options, secure: isSecure },
    );
    if (cookies.length > 0 && !response.headersSent) {
      for (const cookie of cookies) response.appendHeader('Set-Cookie', cookie);
      forbidStoring(response);
    }
    next();
  };
}

/** At the last moment, because the handlers that follow may set a `Cache-Control` of their own. */
function forbidStoring(response: NodeResponse): void {
  const writeHead = response.writeHead;
  response.writeHead = function writeHeadUncached(...args) {
    this.setHeader('Cache-Control', CACHE_CONTROL);
    return writeHead.apply(this, args.map(withoutCacheControl));
  };
}

/** The headers that `writeHead` gets win over those that were set before. */
function withoutCacheControl(argument: unknown): unknown {
  if (typeof argument !== 'object' || argument === null) return argument;
  const isOther = (name: unknown) => String(name).toLowerCase() !== 'cache-control';
  // names and values in turn
  if (Array.isArray(argument)) return argument.filter((_, index) => isOther(argument[index - (index % 2)]));
  return Object.fromEntries(Object.entries(argument).filter(([name]) => isOther(name)));
}
