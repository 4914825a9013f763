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
  getHeader(name: string): number | string | readonly string[] | undefined;
  setHeader(name: string, value: string | readonly string[]): unknown;
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
      keepUntilSent(response, cookies);
    }
    next();
  };
}

/**
 * At the last moment, because the handlers that follow may set a `Cache-Control` of their own, and put their cookies in
 * place of all that were set before, as `setHeader` and `writeHead` do.
 */
function keepUntilSent(response: NodeResponse, cookies: readonly string[]): void {
  const writeHead = response.writeHead;
  response.writeHead = function writeHeadWithCookies(...args) {
    const given = args.flatMap(pairsOf).filter(([name]) => isNamed(name, 'set-cookie'));
    const set = given.length > 0 ? given.flatMap(([, value]) => value) : [this.getHeader('Set-Cookie') ?? []].flat();
    // before those of the handler, which may remove one of them
    const all = [...cookies.filter((cookie) => !set.includes(cookie)), ...set.map(String)];
    this.setHeader('Set-Cookie', all);
    this.setHeader('Cache-Control', CACHE_CONTROL);
    return writeHead.apply(this, args.map(withoutThese));
  };
}

/** The headers that `writeHead` gets win over those that were set before. */
function withoutThese(argument: unknown): unknown {
  if (typeof argument !== 'object' || argument === null) return argument;
  const others = pairsOf(argument).filter(([name]) => !isNamed(name, 'set-cookie') && !isNamed(name, 'cache-control'));
  return Array.isArray(argument) ? others.flat() : Object.fromEntries(others);
}

/** The headers in an argument of `writeHead`: an object, or an array of names and values in turn. */
function pairsOf(argument: unknown): [name: unknown, value: unknown][] {
  if (typeof argument !== 'object' || argument === null) return [];
  if (!Array.isArray(argument)) return Object.entries(argument);
  return argument.flatMap((name, index) => (index % 2 === 0 ? [[name, argument[index + 1]]] : []));
}

function isNamed(name: unknown, lowerCase: string): boolean {
  return String(name).toLowerCase() === lowerCase;
}
