import type { ZodOpenApiMediaTypeObject, ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import type { OtherAnswer, Route } from '../../src/app/route.ts';
import { errorsOf } from '../../src/app/route-errors.ts';
import { ERROR_STATUS, type ErrorCode } from '../../src/errors.ts';
import { ERROR_MEANINGS } from './error-meanings.ts';
import { headersOf } from './headers.ts';
import { referenceTo } from './json-schema.ts';

const JSON_TYPE = 'application/json';

/** Default descriptions of success statuses. */
export const SUCCESS: Readonly<Record<number, string>> = {
  200: 'Success.',
  201: 'Created.',
  202: 'Accepted.',
  204: 'Done. The response has no body.',
};

/** Every response of a route by status: success, its other responses, and its errors. */
export function answersOf(route: Route): ZodOpenApiResponsesObject {
  const answers: Record<string, ZodOpenApiResponseObject> = {};
  for (const answer of successesOf(route)) answers[answer.status] = asResponse(route, answer);
  const errors = Map.groupBy(errorsOf(route), (code) => ERROR_STATUS[code]);
  for (const [status, codes] of errors) {
    const response = errorResponse(route, status, codes);
    const declared = answers[status];
    answers[status] = declared === undefined ? response : bothOf(declared, response);
  }
  return answers as ZodOpenApiResponsesObject;
}

function successesOf(route: Route): OtherAnswer[] {
  const others = [...(route.otherAnswers ?? [])];
  const status = route.status ?? 200;
  if (route.answer !== undefined)
    return [{ status, description: SUCCESS[status] ?? '', schema: route.answer }, ...others];
  const isNoContent = others.every((other) => other.status >= 400);
  return isNoContent ? [{ status: 204, description: SUCCESS[204] ?? '' }, ...others] : others;
}

function asResponse(route: Route, { status, description, schema, contentTypes = [] }: OtherAnswer) {
  const content: Record<string, ZodOpenApiMediaTypeObject> = Object.fromEntries(
    contentTypes.map((type) => [type, { schema: { type: type === JSON_TYPE ? 'object' : 'string' } as const }]),
  );
  if (schema !== undefined) content[JSON_TYPE] = { schema };
  return withHeaders(
    { description, ...(Object.keys(content).length === 0 ? {} : { content }) },
    headersOf(route, status),
  );
}

function errorResponse(route: Route, status: number, codes: ErrorCode[]): ZodOpenApiResponseObject {
  const description = codes.map((code) => `\`${code}\`: ${ERROR_MEANINGS[code].when}.`).join('\n\n');
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]));
  const content: Record<string, ZodOpenApiMediaTypeObject> =
    route.errorFormat === 'text'
      ? { 'text/plain': { schema: { type: 'string' } } }
      : { [JSON_TYPE]: { schema: referenceTo('Error') as never, examples } };
  return withHeaders({ description, content }, headersOf(route, status, codes));
}

/** A status that the route answers with its own body, and the service with an error. */
function bothOf(declared: ZodOpenApiResponseObject, error: ZodOpenApiResponseObject): ZodOpenApiResponseObject {
  const description = `${declared.description}\n\n${error.description}`;
  const own = declared.content?.[JSON_TYPE]?.schema;
  const refused = error.content?.[JSON_TYPE];
  if (own === undefined || refused === undefined) {
    const content = { ...declared.content, ...error.content };
    const types = Object.keys(declared.content ?? {}).length + Object.keys(error.content ?? {}).length;
    if (Object.keys(content).length < types) throw new Error('Two answers of one status and type must both be JSON');
    return { ...error, description, content };
  }
  return {
    ...error,
    description,
    content: { [JSON_TYPE]: { ...refused, schema: { anyOf: [own, refused.schema] } as never } },
  };
}

function withHeaders(
  response: ZodOpenApiResponseObject,
  headers: Record<string, { $ref: string }>,
): ZodOpenApiResponseObject {
  return Object.keys(headers).length === 0 ? response : { ...response, headers };
}
