import { staticFile } from './static-file.ts';

/** Serves `/script.js`, which any page may load. */
export function scriptFile(): ReturnType<typeof staticFile> {
  return staticFile({
    url: new URL('../web/script/script.js', import.meta.url),
    contentType: 'text/javascript; charset=utf-8',
    // a fix reaches every page within an hour, and no page waits for the revalidation
    cacheControl: 'public, max-age=3600, stale-while-revalidate=86400',
    headers: {
      // for any origin, including cross-origin isolated pages and pages that use subresource integrity
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    },
    prepare: withoutComments,
  });
}

/** Removes indentation and comments that start a line; safe because the script has no multi-line strings. */
function withoutComments(source: string): string {
  return source
    .replaceAll(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*$/gm, '')
    .replaceAll(/^[ \t]*\/\/.*$/gm, '')
    .replaceAll(/^\s+/gm, '');
}
