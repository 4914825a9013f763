import { z } from 'zod';

interface JsonSchema {
  type?: string | string[];
  enum?: unknown[];
  anyOf?: JsonSchema[];
}

/** The JSON types that a field accepts, such as `boolean`, `string`, `array` and `null`. */
export function inputTypesOf(field: z.ZodType): string[] {
  return alternatives(field).flatMap(({ type = [] }) => type);
}

/** The words that a field accepts, if it is a choice. */
export function choicesOf(field: z.ZodType): string[] {
  return alternatives(field).flatMap(({ enum: words = [] }) => words.filter((word) => typeof word === 'string'));
}

/** The fields of a query or body schema; none without a schema. */
export function shapeOf(schema: unknown): Readonly<Record<string, z.ZodType>> {
  if (schema === undefined) return {};
  if (schema instanceof z.ZodObject) return schema.shape as Record<string, z.ZodType>;
  throw new Error('Only an object has fields that can become options');
}

function alternatives(field: z.ZodType): JsonSchema[] {
  return flat(z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }) as JsonSchema);
}

function flat(schema: JsonSchema): JsonSchema[] {
  return [schema, ...(schema.anyOf ?? []).flatMap(flat)];
}
