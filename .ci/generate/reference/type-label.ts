import { alternativesOf, componentNameOf, isNullable, type JsonSchema, typesOf } from '../json-schema.ts';

/** A schema's type in a few words, without null: `string`, `array of Link`. */
export function typeLabel(schema: JsonSchema): string {
  return [...new Set(alternativesOf(schema).map(plainLabel))].join(' or ');
}

/** The same with null: `integer or null`. */
export function nullableTypeLabel(schema: JsonSchema): string {
  const label = typeLabel(schema);
  return isNullable(schema) && label !== 'null' ? `${label} or null` : label;
}

function plainLabel(schema: JsonSchema): string {
  const name = componentNameOf(schema);
  if (name !== null) return name;
  const types = typesOf(schema).filter((type) => type !== 'null');
  const [type = schema.const === null ? 'null' : 'any value'] = types;
  if (type === 'array') return schema.items ? `array of ${nullableTypeLabel(schema.items)}` : 'array';
  if (type === 'object' && schema.properties === undefined && typeof schema.additionalProperties === 'object') {
    return `map of ${nullableTypeLabel(schema.additionalProperties)}`;
  }
  return type;
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'ISO 8601 time',
  date: 'ISO 8601 date',
  email: 'e-mail address',
  uri: 'URL',
};

/** The default maximum length of a text. */
const USUAL_LENGTH_MAX = 255;

/** The other constraints of a request value: length, range, format and default, each as a Markdown phrase. */
export function constraintsOf(schema: JsonSchema): string[] {
  const alternatives = alternativesOf(schema);
  const [{ minimum, maximum, minLength, maxLength, minItems, maxItems, pattern } = {}] =
    alternatives.length === 1 ? alternatives : [];
  return [
    ...formatsOf(schema),
    ...range(minimum, maximum, ''),
    ...range(
      minLength === 1 ? undefined : minLength,
      maxLength === USUAL_LENGTH_MAX ? undefined : maxLength,
      ' characters',
    ),
    ...range(minItems, maxItems, ' entries'),
    ...(pattern === undefined ? [] : [`matches \`${pattern}\``]),
    ...(schema.default === undefined || schema.default === null ? [] : [`default \`${valueText(schema.default)}\``]),
  ];
}

/** The format of a value as a phrase; empty if it has none. */
export function formatsOf(schema: JsonSchema): string[] {
  const formats = alternativesOf(schema).flatMap(({ format }) => (format ? [FORMATS[format] ?? format] : []));
  return formats.length === 0 ? [] : [formats.join(' or ')];
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function range(min: number | undefined, max: number | undefined, unit: string): string[] {
  const [low, high] = [min, max].map((value) => value?.toLocaleString('en-US'));
  if (low !== undefined && high !== undefined) return [`${low} to ${high}${unit}`];
  if (high !== undefined) return [`at most ${high}${unit}`];
  return low === undefined || (min === 0 && unit === '') ? [] : [`at least ${low}${unit}`];
}

/** The enum values of a schema, or of the items of an array. */
export function valuesOf(schema: JsonSchema): unknown[] {
  return alternativesOf(schema).flatMap(({ enum: values, const: only, items }) => {
    if (values !== undefined) return values;
    if (only !== undefined) return [only];
    return items === undefined ? [] : valuesOf(items);
  });
}
