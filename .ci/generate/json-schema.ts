/** The subset of JSON Schema that zod produces. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  format?: string;
  pattern?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  example?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  propertyNames?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
}

/** The document's schemas by name. */
export type Components = Record<string, JsonSchema>;

const REFERENCE = '#/components/schemas/';

export function referenceTo(name: string): JsonSchema {
  return { $ref: `${REFERENCE}${name}` };
}

/** The name of the component that the schema refers to; null for an inline schema. */
export function componentNameOf({ $ref }: JsonSchema): string | null {
  return $ref?.startsWith(REFERENCE) ? $ref.slice(REFERENCE.length) : null;
}

/**
 * The schema itself, or the component that it refers to.
 *
 * @throws Error if the component does not exist
 */
export function resolved(schema: JsonSchema, components: Components): JsonSchema {
  const name = componentNameOf(schema);
  if (name === null) return schema;
  const component = components[name];
  if (component === undefined) throw new Error(`There is no component ${name}`);
  return component;
}

/** The alternatives of a union without `null`; the schema alone if it is not a union. */
export function alternativesOf(schema: JsonSchema): JsonSchema[] {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives === undefined) return [schema];
  return alternatives.filter(({ type }) => type !== 'null').flatMap(alternativesOf);
}

export function isNullable(schema: JsonSchema): boolean {
  if (typesOf(schema).includes('null')) return true;
  return (schema.anyOf ?? schema.oneOf ?? []).some(isNullable);
}

export function typesOf({ type }: JsonSchema): string[] {
  return type === undefined ? [] : [type].flat();
}

/** A copy with `change` applied to every schema, innermost first. */
export function mapSchema(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const deeper = (inner: JsonSchema) => mapSchema(inner, change);
  const copy: JsonSchema = { ...schema };
  if (schema.items) copy.items = deeper(schema.items);
  if (schema.propertyNames) copy.propertyNames = deeper(schema.propertyNames);
  if (typeof schema.additionalProperties === 'object') copy.additionalProperties = deeper(schema.additionalProperties);
  if (schema.properties) {
    copy.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([name, member]) => [name, deeper(member)]),
    );
  }
  for (const union of ['anyOf', 'oneOf', 'allOf'] as const) {
    const members = schema[union];
    if (members) copy[union] = members.map(deeper);
  }
  return change(copy);
}
