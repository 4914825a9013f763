import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describeApi } from '../../.ci/generate/document.ts';
import type { JsonSchema } from '../../.ci/generate/json-schema.ts';
import { type Operation, operationAt, operationsOf } from '../../.ci/generate/openapi.ts';
import { SENT_EVENTS } from '../../.ci/generate/sent-events.ts';
import { type Route, route } from '../../src/app/route.ts';
import { parseRouteInput } from '../../src/app/route-input.ts';
import { EVENT_TYPES, TEST_EVENT_TYPE } from '../../src/core/event.ts';
import { PROCESSORS } from '../../src/core/processor.ts';
import { ERROR_STATUS } from '../../src/errors.ts';
import { createRoutes } from '../../src/http/routes.ts';
import { unknownMembers } from '../../src/schema/unknown-members.ts';

const routes: readonly Route[] = createRoutes();
const document = describeApi({ routes, events: SENT_EVENTS, version: '1.2.3' });
const schemas = document.components?.schemas as Record<string, JsonSchema>;
const described = routes.map((declared) => [declared.operationId, declared, operationAt(document, declared)] as const);

/** The success answers of an operation that are JSON, with the schema of the route. */
function answersOf(declared: Route, { responses }: Operation) {
  const schemaOf = new Map([
    [declared.status ?? 200, declared.answer as z.ZodType | undefined],
    ...(declared.otherAnswers ?? []).map(({ status, schema }) => [status, schema] as const),
  ]);
  return Object.entries(responses).flatMap(([status, { content }]) => {
    const schema = schemaOf.get(Number(status));
    return schema === undefined || Number(status) >= 400
      ? []
      : [{ status, schema, example: content?.['application/json']?.example }];
  });
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate({ ...structuredClone(document) })).toEqual({ valid: true });
    expect(document.openapi).toBe('3.1.1');
    expect(document.info.version).toBe('1.2.3');
  });

  it('has an operation for each route, and no other', () => {
    const operations = operationsOf(document).map(({ operationId }) => operationId);
    expect(operations.toSorted()).toEqual(routes.map(({ operationId }) => operationId).toSorted());
  });

  it('has no schema that nothing refers to', () => {
    const text = JSON.stringify(document);
    expect(Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`))).toEqual([]);
  });

  it.each(described)('describes %s: a summary, a chapter, a success and its errors', (_id, declared, operation) => {
    expect(operation.summary).toMatch(/^[A-Z].*[^.]$/);
    const chapters = document.tags?.map(({ name }) => name) ?? [];
    expect(chapters).toEqual(expect.arrayContaining(operation.tags));
    const statuses = Object.keys(operation.responses).map(Number);
    expect(statuses.some((status) => status < 400)).toBe(true);
    expect(statuses).toEqual(expect.arrayContaining((declared.errors ?? []).map((code) => ERROR_STATUS[code])));
    expect(statuses).toContain(500);
  });

  it('names and describes every path parameter', () => {
    const parameters = operationsOf(document).flatMap((operation) =>
      (operation.parameters ?? []).map((parameter) => ({ ...parameter, path: operation.path })),
    );
    const inPath = parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.length).toBeGreaterThan(15);
    for (const { name, path, description, example, required } of inPath) {
      expect(path).toContain(`{${name}}`);
      expect([description, example, required]).toEqual([expect.any(String), expect.anything(), true]);
    }
    expect(parameters.filter(({ schema }) => JSON.stringify(schema).includes('null'))).toEqual([]);
  });

  it.each(described)('has examples of %s that its schemas accept', (_id, declared, operation) => {
    const body = operation.requestBody?.content['application/json']?.example;
    if (declared.body !== undefined && !declared.rawBody)
      parseRouteInput(declared, { query: queryOf(operation), body });
    if (declared.patch) expect(unknownMembers(declared.patch, body)).toEqual([]);
    for (const { status, schema, example } of answersOf(declared, operation)) {
      expect(schema.safeParse(example).error?.issues ?? [], `${declared.operationId} ${status}`).toEqual([]);
      expect(unknownMembers(schema, example)).toEqual([]);
    }
  });

  it('refuses unknown members where the routes do, and leaves answers open', () => {
    expect(schemas.LinkInput?.additionalProperties).toBe(false);
    expect(schemas.LinkPatch?.additionalProperties).toBe(false);
    expect(schemas.LeadInput?.additionalProperties).toBeUndefined();
    expect(schemas.Link?.additionalProperties).toBeUndefined();
  });

  it('describes a patch as a part of its resource, in which null restores a default', () => {
    const { required, properties = {} } = schemas.ProgramPatch ?? {};
    expect(required).toBeUndefined();
    expect(properties.name).toMatchObject({ type: 'string' });
    expect(properties.portal).toMatchObject({ anyOf: [{ type: 'object' }, { type: 'null' }] });
    const content = operationAt(document, routeOf('updateProgram')).requestBody?.content ?? {};
    expect(Object.keys(content)).toEqual(['application/merge-patch+json', 'application/json']);
  });

  it('takes null for no member of a patch that has no default', () => {
    const { processor, programId } = schemas.WebhookEndpointPatch?.properties ?? {};
    expect(processor).toEqual({ type: 'string', enum: [...PROCESSORS] });
    expect(programId).toMatchObject({ anyOf: [{ type: 'string' }, { type: 'null' }] });
  });

  it('takes null for an entry of a map in a patch, which removes it', () => {
    const entry = { anyOf: [{ type: 'integer' }, { type: 'null' }] };
    const map = { type: 'object', additionalProperties: entry };
    expect(schemas.ProgramPatch?.properties?.minimumPayout).toMatchObject({ anyOf: [map, { type: 'null' }] });
    expect(schemas.Program?.properties?.minimumPayout?.additionalProperties).toMatchObject({ type: 'integer' });
  });

  it('documents that every body, also one that is not parsed, may be refused for its encoding', () => {
    for (const id of ['receiveWebhook', 'uploadImportFile', 'trackSale'])
      expect(operationAt(document, routeOf(id)).responses).toHaveProperty('415');
  });

  it('requires the credential of each route', () => {
    const securityOf = (id: string) => operationAt(document, routeOf(id)).security;
    expect(securityOf('createLink')).toEqual([{ bearerAuth: [] }, { session: [] }]);
    expect(securityOf('trackSale')).toEqual([{ bearerAuth: [] }]);
    expect(securityOf('listOperators')).toEqual([{ session: [] }]);
    expect(securityOf('getPortalConfig')).toEqual([{ embedBearerAuth: [] }, { portalSession: [] }]);
    expect(securityOf('followLink')).toEqual([]);
    expect(securityOf('receiveWebhook')).toContainEqual({ stripeSignature: [] });
    const named = operationsOf(document).flatMap(({ security }) => security.flatMap((one) => Object.keys(one)));
    expect(Object.keys(document.components?.securitySchemes ?? {}).toSorted()).toEqual([...new Set(named)].toSorted());
  });

  it('shows a delivery of every processor', () => {
    const examples = operationAt(document, routeOf('receiveWebhook')).requestBody?.content['application/json']
      ?.examples;
    expect(Object.keys(examples ?? {}).toSorted()).toEqual(PROCESSORS.toSorted());
  });

  it('documents limits and retry times in headers', () => {
    const { responses } = operationAt(document, routeOf('createLink'));
    const headers = (status: string) => Object.keys(answerAt(responses, status).headers ?? {});
    expect(headers('201')).toEqual(['RateLimit', 'RateLimit-Policy', 'X-Request-Id']);
    expect(headers('401')).toEqual(['WWW-Authenticate', 'X-Request-Id']);
    expect(headers('403')).toEqual(['RateLimit', 'RateLimit-Policy', 'WWW-Authenticate', 'X-Request-Id']);
    expect(headers('429')).toEqual(['RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id']);
    expect(Object.keys(operationAt(document, routeOf('followLink')).responses['302']?.headers ?? {})).toEqual([
      'Location',
      'X-Refbridge-Click',
    ]);
  });

  it('has a webhook for each event, with the resource as the API returns it', () => {
    expect(Object.keys(document.webhooks ?? {})).toEqual([...EVENT_TYPES, TEST_EVENT_TYPE]);
    expect(document.webhooks?.['sale.created']).toMatchObject({
      post: {
        operationId: 'receiveSaleCreatedEvent',
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/SaleCreatedEvent' } } } },
      },
    });
    const resourceOf = (name: string) => schemas[name]?.properties?.data?.$ref?.split('/').at(-1) ?? '';
    expect(resourceOf('SaleCreatedEvent')).toBe('Sale');
    expect(Object.keys(schemas[resourceOf('ClickCreatedEvent')]?.properties ?? {})).toContain('referrerHost');
    expect(Object.keys(schemas).filter((name) => name.endsWith('Output'))).toEqual([]);
  });
});

describe('an incomplete route', () => {
  const common = { credential: 'public', summary: 'Test', unknownMembers: 'ignore', method: 'GET' } as const;
  const answer = z.object({ odd: z.string() });
  const run = async () => ({ odd: 'x' });

  it.each([
    ['its chapter', { path: '/x', tag: 'Nowhere' }, 'Describe in chapters.ts: Nowhere'],
    ['its path parameter', { path: '/x/:y', tag: 'Links' }, 'Describe the parameter x/:y'],
    ['its example', { path: '/x', tag: 'Links' }, 'Write down an example of'],
  ])('fails for %s', (_what, declared, message) => {
    const odd = route({ ...common, ...declared, operationId: 'odd', answer, run });
    expect(() => describeApi({ routes: [odd], version: '1' })).toThrow(message);
  });
});

function routeOf(operationId: string): Route {
  const found = routes.find((candidate) => candidate.operationId === operationId);
  if (found === undefined) throw new Error(`There is no route ${operationId}`);
  return found;
}

/** The query from the examples of an operation's parameters. */
function queryOf({ parameters = [] }: Operation): Record<string, string> {
  const required = parameters.filter((parameter) => parameter.in === 'query' && parameter.required);
  return Object.fromEntries(required.map(({ name, example }) => [name, String(example)]));
}

function answerAt(responses: Operation['responses'], status: string): Operation['responses'][string] {
  const { $ref } = (responses[status] ?? {}) as { $ref?: string };
  const shared = document.components?.responses as Record<string, Operation['responses'][string]>;
  const answer = $ref === undefined ? responses[status] : shared[$ref.split('/').at(-1) ?? ''];
  if (answer === undefined) throw new Error(`There is no answer ${status}`);
  return answer;
}
