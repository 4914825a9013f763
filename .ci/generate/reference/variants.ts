import type { JsonSchema } from '../json-schema.ts';

/** Objects that a discriminator distinguishes: `type` of a commission, `processor` of a webhook endpoint. */
export interface Variants {
  /** The discriminator. */
  member: string;
  /** The members that all alternatives share, starting with the discriminator and all its values. */
  common: JsonSchema;
  /** By discriminator value, the members that only some alternatives have; values without any are omitted. */
  own: { value: string; schema: JsonSchema }[];
}

/** Null if the alternatives have no discriminator. */
export function variantsOf(alternatives: readonly JsonSchema[]): Variants | null {
  const [first, ...others] = alternatives;
  if (first?.properties === undefined || others.length === 0) return null;
  const member = Object.keys(first.properties).find((name) =>
    alternatives.every(({ properties }) => typeof constantOf(properties?.[name]) === 'string'),
  );
  if (member === undefined) return null;
  const common = Object.keys(first.properties).filter(
    (name) => name !== member && others.every((other) => hasSame(other, first, name)),
  );
  const values = alternatives.map(({ properties }) => String(constantOf(properties?.[member])));
  const teller: JsonSchema = { type: 'string', enum: values };
  return {
    member,
    common: {
      type: 'object',
      properties: { [member]: teller, ...pick(first, common).properties },
      required: first.required ?? [],
    },
    own: alternatives
      .map((schema, index) => ({ value: values[index] ?? '', schema: without(schema, [member, ...common]) }))
      .filter(({ schema }) => Object.keys(schema.properties ?? {}).length > 0),
  };
}

function constantOf(schema: JsonSchema | undefined): unknown {
  return schema?.const ?? (schema?.enum?.length === 1 ? schema.enum[0] : undefined);
}

function hasSame(a: JsonSchema, b: JsonSchema, name: string): boolean {
  const isAsRequired = a.required?.includes(name) === b.required?.includes(name);
  return isAsRequired && JSON.stringify(a.properties?.[name]) === JSON.stringify(b.properties?.[name]);
}

function pick(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const members = Object.entries(schema.properties ?? {}).filter(([name]) => names.includes(name));
  return { ...schema, properties: Object.fromEntries(members) };
}

function without(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const members = Object.keys(schema.properties ?? {}).filter((name) => !names.includes(name));
  return pick(schema, members);
}
