import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Router } from 'express';

/** A corrected script is in use an hour later; until then a page does not wait for it. */
const CACHE_CONTROL = 'public, max-age=3600, stale-while-revalidate=86400';

/** `/script.js`: the browser component, which any page may load; compressed once, at start. */
export function scriptRoutes(): Router {
  const source = readFileSync(new URL('../web/script/script.js', import.meta.url), 'utf8');
  const script = Buffer.from(withoutComments(source));
  const bodies = { br: brotliCompressSync(script), gzip: gzipSync(script, { level: 9 }), identity: script };
  const digest = createHash('sha256').update(script).digest('base64url').slice(0, 22);

  const router = Router();
  router.get('/', (request, response) => {
    const encoding = encodingOf(request.acceptsEncodings(['br', 'gzip', 'identity']));
    const etag = `"${digest}-${encoding}"`;
    response.set({
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': CACHE_CONTROL,
      ETag: etag,
      Vary: 'Accept-Encoding',
      // for pages of every origin, also those that isolate themselves or check the integrity of what they load
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    if (isKnown(etag, request.headers['if-none-match'])) {
      response.status(304).end();
      return;
    }
    if (encoding !== 'identity') response.set('Content-Encoding', encoding);
    response.send(bodies[encoding]);
  });
  return router;
}

function encodingOf(accepted: string | false): 'br' | 'gzip' | 'identity' {
  return accepted === 'br' || accepted === 'gzip' ? accepted : 'identity';
}

/**
 * Whether the client has this very answer (RFC 9110, 13.1.2). Express itself would not look at a request that says
 * `no-cache`, as those of `fetch` with this header do; but to ask us is what that means.
 */
function isKnown(etag: string, ifNoneMatch: string | undefined): boolean {
  // a proxy that changed the encoding marks it as weak
  return (ifNoneMatch ?? '').split(',').some((known) => known.trim().replace(/^W\//, '') === etag);
}

/** Without indentation and without comments that begin a line; the script has no text of several lines. */
function withoutComments(source: string): string {
  return source
    .replaceAll(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*$/gm, '')
    .replaceAll(/^[ \t]*\/\/.*$/gm, '')
    .replaceAll(/^\s+/gm, '');
}
