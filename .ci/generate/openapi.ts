import type { createDocument } from 'zod-openapi';
import type { Route } from '../../src/app/route.ts';
import type { JsonSchema } from './json-schema.ts';
import { templateOf } from './path-parameters.ts';

/** The document that `zod-openapi` produces. */
export type OpenApiDocument = ReturnType<typeof createDocument>;

/** The parts of an OpenAPI operation that are read here. */
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: RequestBody;
  responses: Record<string, Answer>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required?: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
}

interface RequestBody {
  description?: string;
  required?: boolean;
  content: Record<string, Media>;
}

export interface Answer {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, Media>;
}

export interface Media {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, { $ref?: string; summary?: string; value?: unknown }>;
}

/** An operation with its method and path. */
export interface PlacedOperation extends Operation {
  method: string;
  /** `/api/links/{id}`. */
  path: string;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** @throws Error if the document has no operation for this route */
export function operationAt(document: OpenApiDocument, route: Route): Operation {
  const method = route.method.toLowerCase() as (typeof METHODS)[number];
  const operation = document.paths?.[templateOf(route)]?.[method];
  if (operation === undefined) throw new Error(`The document has no operation ${route.operationId}`);
  return operation as unknown as Operation;
}

/** Every operation of the document in order, by reference: changing one changes the document. */
export function operationsOf(document: OpenApiDocument): PlacedOperation[] {
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => (METHODS as readonly string[]).includes(method))
      .map(([method, operation]) => ({ ...(operation as Operation), method: method.toUpperCase(), path })),
  );
}

/** A response of an operation, or the component that it refers to. */
export function resolvedAnswer(answer: Answer & { $ref?: string }, document: OpenApiDocument): Answer {
  if (answer.$ref === undefined) return answer;
  const shared = document.components?.responses?.[answer.$ref.split('/').at(-1) ?? ''];
  if (shared === undefined) throw new Error(`There is no ${answer.$ref}`);
  return shared as unknown as Answer;
}

/** The media types with a schema in an operation's request and responses. */
export function schemasOf({
  requestBody,
  responses = {},
}: {
  requestBody?: Operation['requestBody'] | undefined;
  responses?: Operation['responses'];
}): Media[] {
  const contents = [requestBody?.content, ...Object.values(responses).map(({ content }) => content)];
  return contents.flatMap((content) => Object.values(content ?? {}));
}
