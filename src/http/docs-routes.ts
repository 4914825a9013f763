import { z } from 'zod';
import packageJson from '../../package.json' with { type: 'json' };
import { acceptsPage } from '../app/accepts-page.ts';
import { type OtherAnswer, RawReply, type RequestFacts, route } from '../app/route.ts';
import { answerLinkDomain } from '../links/dead-link.ts';
import { staticFile } from './static-file.ts';

const TAG = 'Operation';
const FILES = new URL('../web/reference/', import.meta.url);

/** The files change with each version, so browsers revalidate them on every request. */
const CACHE_CONTROL = 'no-cache';

/** The page loads its own style and script, sends nothing, and cannot be framed. */
const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const serviceSchema = z
  .object({
    name: z.literal('refbridge'),
    version: z.string().describe('The version that runs.'),
    docs: z.string().describe('The path of the reference page.'),
  })
  .meta({ id: 'Service' });

/** The routes that describe the API. */
export function createDocsRoutes() {
  return [
    route({
      operationId: 'getService',
      method: 'GET',
      path: '/',
      credential: 'public',
      tag: TAG,
      summary: 'Get the name and version of the service',
      description: 'Redirects browsers to the dashboard; on a link domain, it answers them like a dead link.',
      answer: serviceSchema,
      otherAnswers: [
        { status: 302, description: 'To the dashboard.', contentTypes: ['text/html'] },
        { status: 404, description: 'A link domain, which serves only links.', contentTypes: ['text/html'] },
      ],
      headers: () => ({ Vary: 'Accept' }),
      unknownMembers: 'ignore',
      async run({ service, request }) {
        if (acceptsPage(request.headers)) {
          return (await answerLinkDomain(service, request)) ?? new RawReply(302, { Location: '/dashboard/' });
        }
        return { name: 'refbridge' as const, version: packageJson.version, docs: '/docs/api' };
      },
    }),
    route({
      operationId: 'getDocs',
      method: 'GET',
      path: '/docs',
      credential: 'public',
      tag: TAG,
      summary: 'Go to the API reference',
      // not permanent, so that no browser keeps it
      otherAnswers: [{ status: 302, description: 'To the API reference.' }],
      unknownMembers: 'ignore',
      run: async () => new RawReply(302, { Location: '/docs/api', 'Cache-Control': CACHE_CONTROL }),
    }),
    fileRoute({
      operationId: 'getOpenApi',
      path: '/openapi.json',
      summary: 'Get the OpenAPI description of this API',
      description: 'OpenAPI 3.1, of every route here. Pages of any origin may read it.',
      contentType: 'application/json',
      file: 'openapi.json',
      headers: { 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' },
    }),
    fileRoute({
      operationId: 'getReference',
      path: '/docs/api',
      summary: 'Read the API reference',
      contentType: 'text/html',
      file: 'index.html',
      headers: { 'Content-Security-Policy': PAGE_POLICY },
    }),
    fileRoute({
      operationId: 'getReferenceStyle',
      path: '/docs/api/reference.css',
      summary: 'Load the style of the API reference',
      contentType: 'text/css',
      file: 'reference.css',
    }),
    fileRoute({
      operationId: 'getReferenceScript',
      path: '/docs/api/reference.js',
      summary: 'Load the script of the API reference',
      contentType: 'text/javascript',
      file: 'reference.js',
    }),
  ] as const;
}

interface FileRoute<Path extends string> {
  operationId: string;
  path: Path;
  summary: string;
  description?: string;
  contentType: string;
  /** The file's name in the folder of the reference page. */
  file: string;
  headers?: Record<string, string>;
}

function fileRoute<const Path extends string>({ contentType, file, headers, ...declared }: FileRoute<Path>) {
  const answer = staticFile({
    url: new URL(file, FILES),
    contentType: `${contentType}; charset=utf-8`,
    cacheControl: CACHE_CONTROL,
    ...(headers === undefined ? {} : { headers }),
  });
  const otherAnswers: readonly OtherAnswer[] = [
    { status: 200, description: 'The file, compressed as the client accepts it.', contentTypes: [contentType] },
    { status: 304, description: 'The client has it already.' },
  ];
  return route({
    ...declared,
    method: 'GET',
    credential: 'public',
    tag: TAG,
    otherAnswers,
    unknownMembers: 'ignore',
    run: ({ request }: { request: RequestFacts }) => answer(request),
  });
}
