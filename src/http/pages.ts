import type { RequestHandler } from 'express';
import { sendRaw } from './answers.ts';
import { answerAsset, answerPage } from './page-files.ts';

/**
 * The page loads its own files, talks to this server only, and cannot be framed; it frames the preview of the portal.
 * Logos come from anywhere.
 */
const DASHBOARD_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: https:",
  "connect-src 'self'",
  "font-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const DASHBOARD_HEADERS = {
  'Content-Security-Policy': DASHBOARD_POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
};

/**
 * Answers `/dashboard/` and every address below it with the dashboard, which reads the rest of the address itself, and
 * `/assets/` with the files of all pages. Passes everything else on.
 */
export function answerPages(): RequestHandler {
  return async (request, response, next) => {
    const { method, path } = request;
    if (method !== 'GET' && method !== 'HEAD') return next();
    if (path === '/dashboard') return response.redirect(308, '/dashboard/');
    if (path.startsWith('/dashboard/')) {
      return sendRaw(response, await answerPage('dashboard', request, DASHBOARD_HEADERS));
    }
    const asset = path.startsWith('/assets/') ? await answerAsset(path.slice('/assets/'.length), request) : null;
    if (asset === null) return next();
    return sendRaw(response, asset);
  };
}
