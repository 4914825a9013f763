import type { OutgoingHttpHeaders } from 'node:http';
import type { Request, RequestHandler, Response } from 'express';
import type { EmbedSession } from '../app/embed-session.ts';
import { RawReply } from '../app/route.ts';
import type { Service } from '../app/service.ts';
import { getPortalStart, type PortalStart } from '../portal/start.ts';
import { findEmbedSession } from '../programs/embed-tokens.ts';
import { sendRaw } from './answers.ts';
import { bearerChallenge } from './challenge.ts';
import { asServiceError } from './errors.ts';
import { readPage } from './page-files.ts';
import type { LimitPartner } from './partner-limit.ts';

const FRAME_PATH = /^\/embed\/referrals\/?$/;

/** The dashboard shows this page in a frame and sends it what to show. */
const PREVIEW_PATH = '/dashboard/portal-preview';

/** What the page shows in place of the portal, and posts to the embedding page. */
interface StartError {
  error: { code: string; message: string };
}

const INVALID_TOKEN: StartError = {
  error: { code: 'UNAUTHORIZED', message: 'The embed token is missing, wrong or has expired; request another one' },
};

/**
 * Answers `/embed/referrals` with a partner's portal for a frame in another page, `/portal` with the same page without
 * a frame, for the session of a portal link, and the dashboard's preview. Passes everything else on.
 */
export function answerPortal(service: Service, limitPartner: LimitPartner): RequestHandler {
  return async (request, response, next) => {
    const { method, path } = request;
    if (method !== 'GET' && method !== 'HEAD') return next();
    if (path === PREVIEW_PATH) return sendRaw(response, await answerPreview(request));
    const isFrame = FRAME_PATH.test(path);
    if (!isFrame && path !== '/portal') return next();
    const limit = (session: EmbedSession) => limitPartner(session, request, response);
    const reply = isFrame ? await answerFrame(service, request, limit) : await answerWhole();
    if (isFrame) removeFrameRefusals(response);
    return sendRaw(response, reply);
  };
}

async function answerFrame(
  service: Service,
  { query }: Request,
  limit: (session: EmbedSession) => Promise<void>,
): Promise<RawReply> {
  const theme = themeOf(query);
  const token = typeof query.token === 'string' ? query.token : '';
  try {
    const session = await findEmbedSession(service, token);
    if (session === null) {
      const headers = { 'WWW-Authenticate': bearerChallenge(token !== '') };
      return pageReply({ status: 401, start: INVALID_TOKEN, theme, ancestors: '*', headers });
    }
    await limit(session);
    const start = await getPortalStart(service, session);
    const ancestors = ["'self'", ...start.config.allowedOrigins].join(' ');
    return pageReply({ status: 200, start, theme, ancestors });
  } catch (thrown) {
    const error = asServiceError(thrown);
    if (error === null) throw thrown;
    const { status, code, message, retryAfterSeconds } = error;
    const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': retryAfterSeconds };
    return pageReply({ status, start: { error: { code, message } }, theme, ancestors: '*', headers });
  }
}

/** It contains no data, so it needs no session. */
function answerPreview({ query }: Request): Promise<RawReply> {
  return pageReply({ status: 200, start: {}, theme: themeOf(query), ancestors: "'self'" });
}

function themeOf({ theme }: Request['query']): string {
  return typeof theme === 'string' ? theme : 'system';
}

/** This page requests everything itself, with its cookie. */
function answerWhole(): Promise<RawReply> {
  return pageReply({ status: 200, start: {}, theme: 'system', ancestors: "'none'" });
}

interface PortalPage {
  status: number;
  start: PortalStart | StartError | Record<string, never>;
  theme: string;
  /** Who may show it in a frame; everybody only when there is nothing to see. */
  ancestors: string;
  /** Beside those of every page. */
  headers?: OutgoingHttpHeaders;
}

async function pageReply({ status, start, theme, ancestors, headers }: PortalPage): Promise<RawReply> {
  const html = await readPage('portal');
  const scheme = theme === 'light' || theme === 'dark' ? ` data-theme="${theme}"` : '';
  // a data block, which no policy forbids; `<` could end it
  const data = JSON.stringify(start).replaceAll('<', '\\u003c');
  const content = html.replace('<html', () => `<html${scheme}`).replace('{}</script>', () => `${data}</script>`);
  return new RawReply(
    status,
    {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policyFor(ancestors, 'config' in start ? start.config.theme.logoUrl : ''),
      'Referrer-Policy': 'no-referrer',
      'X-Robots-Tag': 'noindex',
      ...headers,
    },
    content,
  );
}

function policyFor(ancestors: string, logoUrl: string): string {
  const logo = logoUrl.startsWith('http:') ? ` ${new URL(logoUrl).origin}` : '';
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data: https:${logo}`,
    "connect-src 'self'",
    // for the files that it saves
    'frame-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    `frame-ancestors ${ancestors}`,
  ].join('; ');
}

/** The policy names who may frame the page; these headers cannot name anybody. */
function removeFrameRefusals(response: Response): void {
  response.removeHeader('X-Frame-Options');
  response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
  response.removeHeader('Cross-Origin-Opener-Policy');
}
