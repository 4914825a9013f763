import { createDocument, type ZodOpenApiPathsObject } from 'zod-openapi';
import type { Route } from '../../src/app/route.ts';
import { CHAPTERS } from './chapters.ts';
import { completeDocument } from './complete-document.ts';
import { errorResponseComponents } from './error-component.ts';
import { type EventDeclaration, withEvents } from './events.ts';
import { HEADERS } from './headers.ts';
import { introduction } from './introduction.ts';
import type { OpenApiDocument } from './openapi.ts';
import { operationOf } from './operation.ts';
import { templateOf } from './path-parameters.ts';
import { SECURITY_SCHEMES } from './security.ts';

export interface Description {
  routes: readonly Route[];
  /** Events that the service sends; none by default. */
  events?: readonly EventDeclaration[];
  version: string;
}

/**
 * The OpenAPI document of these routes.
 *
 * @throws Error for a route whose tag or path parameter has no description
 */
export function describeApi({ routes, events = [], version }: Description): OpenApiDocument {
  const document = createDocument(
    {
      openapi: '3.1.1',
      info: {
        title: 'Refbridge API',
        version,
        summary: 'Referral tracking and payment webhooks, self-hosted',
        description: introduction(),
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/', description: 'The service that serves this document' }],
      tags: chaptersOf(routes),
      paths: pathsOf(routes),
      components: { securitySchemes: SECURITY_SCHEMES, headers: HEADERS as never, ...errorResponseComponents() },
    },
    { allowEmptySchema: { custom: true } },
  );
  return completeDocument(withEvents(document, events), routes);
}

function pathsOf(routes: readonly Route[]): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = templateOf(route);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return paths as ZodOpenApiPathsObject;
}

/** In the order of the reference, without chapters that have no route. */
function chaptersOf(routes: readonly Route[]): { name: string; description: string }[] {
  const used = new Set(routes.map(({ tag }) => tag));
  const unknown = [...used].filter((tag) => CHAPTERS[tag] === undefined);
  if (unknown.length > 0) throw new Error(`Describe in chapters.ts: ${unknown.join(', ')}`);
  return Object.entries(CHAPTERS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}
