import type { Route } from '../../src/app/route.ts';
import { addExamples } from './examples/add.ts';
import { type Components, componentNameOf, type JsonSchema, referenceTo, resolved } from './json-schema.ts';
import { type OpenApiDocument, type Operation, operationAt, schemasOf } from './openapi.ts';
import { patchName, patchSchemaOf } from './patch-schema.ts';
import { closeObjects, namesWithin, tidy, withoutNull } from './schema-rules.ts';
import { shareErrors } from './share-errors.ts';

/** Adds what the schemas alone do not contain: patches, examples, and which bodies refuse unknown members. */
export function completeDocument(document: OpenApiDocument, routes: readonly Route[]): OpenApiDocument {
  const components = { ...document.components?.schemas } as Components;
  const described = routes.map((route) => ({ route, operation: operationAt(document, route) }));
  for (const { route, operation } of described) if (route.patch) describePatch(operation, components);
  closeBodies(described, components);
  for (const { operation } of described) {
    for (const holder of schemasOf(operation)) holder.schema = tidy(holder.schema);
    for (const parameter of operation.parameters ?? []) parameter.schema = parameterSchema(parameter.schema);
  }
  for (const [name, schema] of Object.entries(components)) components[name] = tidy(schema);
  for (const { operation } of described) addExamples(operation, components);
  return shareErrors({ ...document, components: { ...document.components, schemas: components as never } });
}

/** Drops the description, because the parameter itself has one. */
function parameterSchema(schema: JsonSchema): JsonSchema {
  const { description: _description, ...rest } = withoutNull(tidy(schema));
  return rest;
}

interface Described {
  route: Route;
  operation: Operation;
}

function describePatch(operation: Operation, components: Components): void {
  const holders = Object.values(operation.requestBody?.content ?? {});
  const [input] = holders;
  if (input === undefined) return;
  const inputName = componentNameOf(input.schema);
  let patch = patchSchemaOf(resolved(input.schema, components), components);
  if (inputName !== null) {
    const name = patchName(inputName);
    components[name] = patch;
    patch = referenceTo(name);
  }
  // not for each content type: the name of the input may be that of its patch, in which nothing is required any more
  for (const holder of holders) holder.schema = patch;
}

/**
 * Closes the schemas that occur only in bodies that refuse unknown members. Responses, and schemas that they or tolerant
 * bodies share, stay open, so that a later version may add members.
 */
function closeBodies(described: readonly Described[], components: Components): void {
  const isClosed = ({ route }: Described) => !route.rawBody && route.unknownMembers !== 'ignore';
  const bodiesOf = ({ operation }: Described) => schemasOf({ requestBody: operation.requestBody });
  const closed = described.filter(isClosed).flatMap(bodiesOf);
  const open = [
    ...described.filter((one) => !isClosed(one)).flatMap(bodiesOf),
    ...described.flatMap(({ operation }) => schemasOf({ responses: operation.responses })),
  ];
  const schemaIn = ({ schema }: { schema: JsonSchema }) => schema;
  const openNames = namesWithin(open.map(schemaIn), components);
  const closedNames = namesWithin(closed.map(schemaIn), components);
  for (const [name, schema] of Object.entries(components)) {
    components[name] = closeObjects(schema, closedNames.has(name) && !openNames.has(name));
  }
  for (const holder of closed) holder.schema = closeObjects(holder.schema, true);
  for (const holder of open) holder.schema = closeObjects(holder.schema, false);
}
