import { readFile } from 'node:fs/promises';
import type { OutgoingHttpHeaders } from 'node:http';
import { RawReply, type RequestFacts } from '../app/route.ts';
import { ServiceError } from '../errors.ts';
import { digestOf, type Encoding, encodingFor, encodingHeader, isKnown } from './static-file.ts';

/** `dist/pages/`, whether this runs from `src/` or from `dist/src/`. */
const FOLDER = new URL(import.meta.url.endsWith('.ts') ? '../../dist/pages/' : '../../pages/', import.meta.url);

const SUFFIXES: Record<Encoding, string> = { br: '.br', gzip: '.gz', identity: '' };

const ASSET_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

type PageRequest = Pick<RequestFacts, 'headers'>;

/**
 * Answers with `<name>.html` as it was built, compressed; browsers revalidate it on every visit. Files are read on
 * request, so that a server that shows no pages spends nothing on them.
 *
 * @throws ServiceError `UNAVAILABLE` when the pages were not built
 */
export async function answerPage(
  name: string,
  { headers }: PageRequest,
  pageHeaders: OutgoingHttpHeaders,
): Promise<RawReply> {
  const encoding = await encodingFor(headers['accept-encoding']);
  const content = await requireBuilt(name, encoding);
  const etag = `"${digestOf(content)}"`;
  const common = { 'Cache-Control': 'no-cache', ETag: etag, Vary: 'Accept-Encoding', ...pageHeaders };
  if (isKnown(etag, headers['if-none-match'])) return new RawReply(304, common);
  return new RawReply(
    200,
    { ...common, ...encodingHeader(encoding), 'Content-Type': 'text/html; charset=utf-8' },
    content,
  );
}

/**
 * The text of `<name>.html` as it was built, for a page that is completed for each visitor.
 *
 * @throws ServiceError `UNAVAILABLE` when the pages were not built
 */
export async function readPage(name: string): Promise<string> {
  return (await requireBuilt(name, 'identity')).toString();
}

async function requireBuilt(name: string, encoding: Encoding): Promise<Buffer> {
  const content = await readBuilt(`${name}.html`, encoding);
  if (content === null) throw new ServiceError('UNAVAILABLE', 'The pages are not built yet: run `npm run build`');
  return content;
}

/** Answers with a file that the pages load; null when no file has this name. Its name contains its digest. */
export async function answerAsset(name: string, { headers }: PageRequest): Promise<RawReply | null> {
  const contentType = ASSET_TYPES[/^[\w-]+(?:\.[\w-]+)*\.(js|css|svg)$/.exec(name)?.[1] ?? ''];
  if (contentType === undefined) return null;
  const encoding = await encodingFor(headers['accept-encoding']);
  const content = await readBuilt(`assets/${name}`, encoding);
  if (content === null) return null;
  const common = { 'Cache-Control': 'public, max-age=31536000, immutable', Vary: 'Accept-Encoding' };
  return new RawReply(200, { ...common, ...encodingHeader(encoding), 'Content-Type': contentType }, content);
}

async function readBuilt(path: string, encoding: Encoding): Promise<Buffer | null> {
  try {
    return await readFile(new URL(path + SUFFIXES[encoding], FOLDER));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
