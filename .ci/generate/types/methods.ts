import type { Route } from '../../../src/app/route.ts';
import type { Components } from '../json-schema.ts';
import { resolved } from '../json-schema.ts';
import { type OpenApiDocument, operationsOf, type PlacedOperation } from '../openapi.ts';
import { templateOf } from '../path-parameters.ts';
import { type MethodName, methodNameOf } from './method-names.ts';
import { isJsonByDefault } from './print-types.ts';

/** One parameter of a method: a path parameter, the body, or the query. */
export interface Taken {
  name: string;
  kind: 'path' | 'body' | 'query';
  isOptional: boolean;
}

/** One method of the client. */
export interface Method extends MethodName {
  operation: PlacedOperation;
  takes: Taken[];
  /** What it returns: the JSON, the pages of a list, the response itself, or nothing. */
  answers: 'json' | 'list' | 'response' | 'nothing';
  /** The body is sent unchanged. */
  isRaw: boolean;
  isPublic: boolean;
  /** As `Route.idempotent`; only for a POST. */
  idempotent: true | string | null;
}

/**
 * Every method of the client, by group in alphabetical order.
 *
 * @throws Error if two operations would have the same method
 */
export function methodsOf(document: OpenApiDocument, routes: readonly Route[]): Map<string, Method[]> {
  const routeByCall = new Map(routes.map((route) => [`${route.method} ${templateOf(route)}`, route]));
  const methods = operationsOf(document)
    .map((operation) => methodOf(operation, routeByCall.get(`${operation.method} ${operation.path}`), document))
    .sort((a, b) => compare(a.group, b.group) || compare(a.method, b.method));
  for (const [index, { group, method, operation }] of methods.entries()) {
    const next = methods[index + 1];
    if (next?.group !== group || next.method !== method) continue;
    const ids = `${operation.operationId} and ${next.operation.operationId}`;
    throw new Error(`${ids} would both be ${group}.${method}: name one of them in method-names.ts`);
  }
  return Map.groupBy(methods, ({ group }) => group);
}

function methodOf(operation: PlacedOperation, route: Route | undefined, document: OpenApiDocument): Method {
  if (route === undefined) throw new Error(`The routes lack ${operation.operationId}`);
  return {
    ...methodNameOf(operation),
    operation,
    takes: takenBy(operation),
    answers: answersOf(operation, document.components?.schemas as Components),
    isRaw: route.rawBody === true,
    isPublic: route.credential === 'public' || route.credential === 'signature',
    idempotent: route.idempotent ?? null,
  };
}

function takenBy({ parameters = [], requestBody }: PlacedOperation): Taken[] {
  const path = parameters.filter((parameter) => parameter.in === 'path');
  const query = parameters.filter((parameter) => parameter.in === 'query');
  return [
    ...path.map(({ name }) => ({ name, kind: 'path' as const, isOptional: false })),
    ...(requestBody ? [{ name: 'body', kind: 'body' as const, isOptional: requestBody.required !== true }] : []),
    ...(query.length > 0
      ? [{ name: 'query', kind: 'query' as const, isOptional: !query.some(({ required }) => required) }]
      : []),
  ];
}

function answersOf(operation: PlacedOperation, components: Components): Method['answers'] {
  const { responses } = operation;
  const successes = Object.entries(responses).filter(([status]) => /^2/.test(status));
  const isJson = isJsonByDefault(operation);
  const types = successes
    .flatMap(([, { content }]) => Object.entries(content ?? {}))
    .filter(([type]) => !isJson || type === 'application/json');
  if (successes.length === 0 || types.some(([type]) => type !== 'application/json')) return 'response';
  if (types.length === 0) return 'nothing';
  const isList = types.every(([, { schema }]) => {
    const { data, nextCursor } = resolved(schema, components).properties ?? {};
    return data?.type === 'array' && nextCursor !== undefined;
  });
  return isList ? 'list' : 'json';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
