import { componentNameOf, type JsonSchema, typesOf } from '../json-schema.ts';

/** A schema as a TypeScript type, with descriptions as comments on its members. */
export function printType(schema: JsonSchema): string {
  const name = componentNameOf(schema);
  if (name !== null) return typeName(name);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return union(schema.enum.map(literal));
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return union(alternatives.map(printType));
  const types = typesOf(schema);
  return types.length === 0 ? 'unknown' : union(types.map((type) => printPlain(type, schema)));
}

/** The type name of a component: `Error` is already a type of the language. */
export function typeName(component: string): string {
  return component === 'Error' ? 'ErrorAnswer' : component;
}

/** A description as a comment that precedes what it describes; empty if there is none. */
export function printComment(description: string | undefined): string {
  return description === undefined ? '' : `/** ${description.replaceAll('*/', '*∕').replaceAll(/\s*\n\s*/g, ' ')} */\n`;
}

function printPlain(type: string, schema: JsonSchema): string {
  switch (type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return schema.items === undefined ? 'unknown[]' : arrayOf(printType(schema.items));
    case 'object':
      return printObject(schema);
    default:
      return type;
  }
}

function printObject({ properties, required = [], additionalProperties }: JsonSchema): string {
  if (properties === undefined) {
    const value = typeof additionalProperties === 'object' ? printType(additionalProperties) : 'unknown';
    return `Record<string, ${value}>`;
  }
  const members = Object.entries(properties).map(([name, member]) => {
    const comment = printComment(member.description);
    const type = printType(member);
    // For callers whose compiler distinguishes a missing member from an undefined one.
    return required.includes(name)
      ? `${comment}${key(name)}: ${type};`
      : `${comment}${key(name)}?: ${type} | undefined;`;
  });
  return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('\n')}\n}`;
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : JSON.stringify(value);
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

function arrayOf(item: string): string {
  return /^\w+$/.test(item) ? `${item}[]` : `(${item})[]`;
}
