import { type Components, componentNameOf, type JsonSchema, mapSchema } from './json-schema.ts';

const EXTREMES = new Set([Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]);

/** Removes noise that zod adds: patterns of formats and bounds of every integer. Turns descriptions into sentences. */
export function tidy(schema: JsonSchema): JsonSchema {
  return mapSchema(schema, (inner) => {
    const { pattern, minimum, maximum, ...rest } = inner;
    if (rest.description !== undefined) rest.description = asSentence(rest.description);
    const flat = rest.anyOf?.some(({ anyOf }) => anyOf) ? { ...rest, anyOf: rest.anyOf.flatMap(flattened) } : rest;
    return {
      ...flat,
      ...(pattern === undefined || inner.format !== undefined ? {} : { pattern }),
      ...(minimum === undefined || EXTREMES.has(minimum) ? {} : { minimum }),
      ...(maximum === undefined || EXTREMES.has(maximum) ? {} : { maximum }),
    };
  });
}

/** Descriptions that the command line also shows start in lower case and have no full stop. */
function asSentence(text: string): string {
  const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?:]$/.test(sentence) ? sentence : `${sentence}.`;
}

function flattened(schema: JsonSchema): JsonSchema[] {
  const { anyOf, type: _ofAll, ...rest } = schema;
  return anyOf !== undefined && Object.keys(rest).length === 0 ? anyOf : [schema];
}

/** The schema of a query parameter: text cannot express `null`, so it is omitted. */
export function withoutNull(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (anyOf === undefined) return schema;
  const alternatives = anyOf.filter(({ type }) => type !== 'null');
  return alternatives.length === 1 ? { ...alternatives[0], ...rest } : { ...rest, anyOf: alternatives };
}

/** Objects that state whether they accept further members, as `isClosed` decides. Maps stay unchanged. */
export function closeObjects(schema: JsonSchema, isClosed: boolean): JsonSchema {
  return mapSchema(schema, (inner) => {
    if (inner.properties === undefined) return inner;
    const { additionalProperties: _open, ...rest } = inner;
    return isClosed ? { ...rest, properties: described(inner.properties), additionalProperties: false } : rest;
  });
}

/** Removes members without a value schema: they are declared only so that they are refused with a helpful message. */
function described(properties: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(properties).filter(([, schema]) => Object.keys(schema).length > 0));
}

/** The names of the components that the schemas refer to, directly or through others. */
export function namesWithin(schemas: readonly JsonSchema[], components: Components): Set<string> {
  const found = new Set<string>();
  const visit = (schema: JsonSchema) => {
    mapSchema(schema, (inner) => {
      const name = componentNameOf(inner);
      const component = name === null ? undefined : components[name];
      if (name !== null && component !== undefined && !found.has(name)) {
        found.add(name);
        visit(component);
      }
      return inner;
    });
  };
  schemas.forEach(visit);
  return found;
}
