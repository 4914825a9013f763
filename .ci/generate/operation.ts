import type { ZodOpenApiOperationObject, ZodOpenApiRequestBodyObject } from 'zod-openapi';
import type { Route } from '../../src/app/route.ts';
import { answersOf } from './answers.ts';
import { webhookExamples } from './examples/webhooks.ts';
import { pathParametersOf } from './path-parameters.ts';
import { SIGNATURES, securityOf } from './security.ts';

/** The OpenAPI operation of a route. Examples are added once its schemas are JSON. */
export function operationOf(route: Route): ZodOpenApiOperationObject {
  const path = pathParametersOf(route);
  const requestBody = requestBodyOf(route);
  const description = descriptionOf(route);
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(description === '' ? {} : { description }),
    security: securityOf(route.credential),
    ...(path === null && route.query === undefined
      ? {}
      : { requestParams: { ...(path && { path }), ...(route.query && { query: route.query }) } }),
    ...(requestBody && { requestBody }),
    responses: answersOf(route),
  };
}

function requestBodyOf(route: Route): ZodOpenApiRequestBodyObject | null {
  if (route.rawBody && route.credential !== 'signature') {
    return {
      description: 'The bytes as they are, at most 2 MiB, uncompressed.',
      required: true,
      content: { 'text/csv': { schema: { type: 'string', format: 'binary' } } },
    };
  }
  if (route.rawBody) {
    return {
      description: 'The bytes as the processor sent them, at most 2 MiB. The signature covers these bytes.',
      required: true,
      content: { 'application/json': { schema: { type: 'object' }, examples: webhookExamples() } },
    };
  }
  if (route.patch) {
    const content = { schema: route.patch };
    return {
      description: 'A JSON Merge Patch (RFC 7396): the members to change; `null` restores the default.',
      required: true,
      content: { 'application/merge-patch+json': content, 'application/json': content },
    };
  }
  if (route.body === undefined) return null;
  return { required: route.bodyIsOptional !== true, content: { 'application/json': { schema: route.body } } };
}

function descriptionOf(route: Route): string {
  const own = route.description === undefined ? [] : [route.description];
  if (route.credential !== 'signature') return own.join('');
  const processors = Object.entries(SIGNATURES).map(
    ([processor, { name, header, description }]) => `- **${name}** (\`${processor}\`): \`${header}\`. ${description}`,
  );
  return [...own, 'Each processor signs in its own way:', processors.join('\n')].join('\n\n');
}
