import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isbot } from 'isbot';
import { BoundedCache } from '../app/bounded-cache.ts';
import type { Service } from '../app/service.ts';
import { hostOf, type Visitor } from '../links/click.ts';
import { clientAddress, type IsTrustedProxy } from './client-address.ts';

/** Longer than any browser's; the rest would only cost time. */
const USER_AGENT_CHARACTERS_MAX = 512;

/** In which the proxies and platforms that know a visitor's country tell it. */
const COUNTRY_HEADERS = [
  'cf-ipcountry',
  'cloudfront-viewer-country',
  'x-vercel-ip-country',
  'x-appengine-country',
  'x-country-code',
];
/** For "nobody knows" at Cloudflare and at App Engine. */
const NO_COUNTRIES = ['XX', 'ZZ'];

interface Browser {
  isBot: boolean;
  device: string | null;
}

/** Browsers by their name; few names are most of the visits. */
const createBrowserCache = ({ clock }: Service) => new BoundedCache<string, Browser>({ entriesMax: 2_000, clock });

/** Who makes this request, or null where that is no person: a bot, a preview, a prefetch, or `HEAD`. */
export function visitorOf(service: Service, request: IncomingMessage, isTrusted: IsTrustedProxy): Visitor | null {
  const { headers } = request;
  const userAgent = (headers['user-agent'] ?? '').slice(0, USER_AGENT_CHARACTERS_MAX);
  const { isBot, device } = browserOf(service, userAgent);
  if (request.method === 'HEAD' || isBot || isAhead(headers)) return null;
  return {
    address: clientAddress(request, isTrusted),
    userAgent,
    referrerHost: hostOf(headers.referer),
    device,
    country: isTrusted(request.socket.remoteAddress ?? '', 0) ? countryOf(headers) : null,
  };
}

/** Whether a browser loads this before anybody asked for it. */
function isAhead(headers: IncomingHttpHeaders): boolean {
  const purpose = headers['sec-purpose'] ?? headers.purpose ?? headers['x-purpose'] ?? headers['x-moz'];
  return purpose !== undefined && /prefetch|prerender|preview/i.test(String(purpose));
}

function browserOf(service: Service, userAgent: string): Browser {
  const browsers = service.state(createBrowserCache);
  const cached = browsers.get(userAgent);
  if (cached !== undefined) return cached;
  const browser = { isBot: isbot(userAgent), device: deviceOf(userAgent) };
  browsers.set(userAgent, browser);
  return browser;
}

/** A coarse class, enough for a chart. */
function deviceOf(userAgent: string): string | null {
  if (userAgent === '') return null;
  if (/iPad|Tablet|Android(?!.*Mobile)/i.test(userAgent)) return 'tablet';
  return /Mobi|iPhone|Android/i.test(userAgent) ? 'mobile' : 'desktop';
}

/** ISO 3166-1, upper case. Only for requests that a trusted proxy passed on: anybody can send these headers. */
function countryOf(headers: IncomingHttpHeaders): string | null {
  const told = COUNTRY_HEADERS.map((name) => headers[name]).find((value) => typeof value === 'string');
  if (typeof told !== 'string' || !/^[A-Za-z]{2}$/.test(told)) return null;
  const country = told.toUpperCase();
  return NO_COUNTRIES.includes(country) ? null : country;
}
