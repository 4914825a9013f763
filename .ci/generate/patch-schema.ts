import { type Components, isNullable, type JsonSchema, mapSchema, resolved } from './json-schema.ts';

/** `LinkInput` → `LinkPatch`; a schema that is only used for patches keeps its name. */
export function patchName(inputName: string): string {
  return `${inputName.replace(/(?:Input|Patch)$/, '')}Patch`;
}

/**
 * The JSON Merge Patch of a resource: nothing is required at any depth, and `null` restores the default of an optional
 * member, and removes an entry of a map.
 */
export function patchSchemaOf(input: JsonSchema, components: Components): JsonSchema {
  const { required = [], properties = {}, ...rest } = partialOf(input, components);
  const members = Object.entries(properties).map(([name, member]) => {
    const { default: _default, ...patched } = member;
    return [name, input.required?.includes(name) ? patched : nullable(patched)];
  });
  return { ...rest, properties: Object.fromEntries(members) };
}

/** Inlines references, because every part of a patch is partial too. */
function partialOf(schema: JsonSchema, components: Components): JsonSchema {
  return mapSchema(resolved(schema, components), (inner) => {
    const { required: _required, ...partial } = inner.$ref === undefined ? inner : partialOf(inner, components);
    // A patch may omit the discriminator, so more than one alternative may match.
    const { oneOf, ...withoutUnion } = withNullableEntries(partial);
    return oneOf === undefined ? withoutUnion : { ...withoutUnion, anyOf: oneOf };
  });
}

function nullable(schema: JsonSchema): JsonSchema {
  if (isNullable(schema)) return schema;
  const { description, ...value } = schema;
  return { ...(description === undefined ? {} : { description }), anyOf: [value, { type: 'null' }] };
}

/** A map such as `{usd: 500}`, of which a patch may name some entries; other schemas stay unchanged. */
function withNullableEntries(schema: JsonSchema): JsonSchema {
  const { additionalProperties: entry } = schema;
  return typeof entry === 'object' ? { ...schema, additionalProperties: nullable(entry) } : schema;
}
