import type { IncomingHttpHeaders } from 'node:http';
import { isbot } from 'isbot';
import { BoundedCache } from '../app/bounded-cache.ts';
import type { RequestFacts } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { referrerHostOf, type Visitor } from './click.ts';

/** Longer than any browser's. Parsing more would only cost time. */
const USER_AGENT_CHARACTERS_MAX = 512;

/** The headers in which proxies and platforms report a visitor's country. */
const COUNTRY_HEADERS = [
  'cf-ipcountry',
  'cloudfront-viewer-country',
  'x-vercel-ip-country',
  'x-appengine-country',
  'x-country-code',
];
/** "Unknown" at Cloudflare and App Engine. */
const UNKNOWN_COUNTRIES = ['XX', 'ZZ'];

interface Browser {
  isBot: boolean;
  device: string | null;
}

/** Browsers by user agent. A few user agents make up most visits. */
const createBrowserCache = ({ clock }: Service) => new BoundedCache<string, Browser>({ entriesMax: 2_000, clock });

/** Why a request is not the visit of a person. */
export type NoVisitor = 'head' | 'bot' | 'prefetch';

/** The visitor who makes this request. For `HEAD`, a bot or preview, and a prefetch: the reason why there is none. */
export function visitorOf(
  service: Service,
  { method, headers, address, isProxied }: RequestFacts,
): Visitor | NoVisitor {
  const userAgent = (headers['user-agent'] ?? '').slice(0, USER_AGENT_CHARACTERS_MAX);
  const { isBot, device } = browserOf(service, userAgent);
  if (method === 'HEAD') return 'head';
  if (isBot) return 'bot';
  if (isPrefetch(headers)) return 'prefetch';
  return {
    address,
    userAgent,
    referrerHost: referrerHostOf(headers.referer),
    device,
    country: isProxied ? countryOf(headers) : null,
  };
}

/** True when a browser loads this before the user asks for it. */
function isPrefetch(headers: IncomingHttpHeaders): boolean {
  const purpose = headers['sec-purpose'] ?? headers.purpose ?? headers['x-purpose'] ?? headers['x-moz'];
  return purpose !== undefined && /prefetch|prerender|preview/i.test(String(purpose));
}

/**
 * True when a browser fetches this ahead as a page, as speculation rules demand: it would show the response when the visitor
 * follows the link, despite `no-store`. It discards a response that is not successful, and then makes a new request.
 */
export function isPageFetchedAhead({ headers }: Pick<RequestFacts, 'headers'>): boolean {
  const isAhead = /prefetch|prerender/i.test(String(headers['sec-purpose'] ?? ''));
  return isAhead && headers['sec-fetch-dest'] === 'document';
}

function browserOf(service: Service, userAgent: string): Browser {
  const browsers = service.state(createBrowserCache);
  const cached = browsers.get(userAgent);
  if (cached !== undefined) return cached;
  const browser = { isBot: isbot(userAgent), device: deviceOf(userAgent) };
  browsers.set(userAgent, browser);
  return browser;
}

/** A coarse device class, enough for a chart. */
function deviceOf(userAgent: string): string | null {
  if (userAgent === '') return null;
  if (/iPad|Tablet|Android(?!.*Mobile)/i.test(userAgent)) return 'tablet';
  return /Mobi|iPhone|Android/i.test(userAgent) ? 'mobile' : 'desktop';
}

/** ISO 3166-1, upper case. Only for requests from a trusted proxy, because anybody can send these headers. */
function countryOf(headers: IncomingHttpHeaders): string | null {
  const header = COUNTRY_HEADERS.map((name) => headers[name]).find((value) => typeof value === 'string');
  if (typeof header !== 'string' || !/^[A-Za-z]{2}$/.test(header)) return null;
  const country = header.toUpperCase();
  return UNKNOWN_COUNTRIES.includes(country) ? null : country;
}
