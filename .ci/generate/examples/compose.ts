import {
  alternativesOf,
  type Components,
  componentNameOf,
  type JsonSchema,
  resolved,
  typesOf,
} from '../json-schema.ts';
import { SHOWN_MEMBERS } from './shown-members.ts';
import { EXAMPLE_VALUES } from './values.ts';

export interface ExampleOptions {
  operationId: string;
  /** Requests show the members that a caller usually sends, responses show all of them. */
  isRequest: boolean;
}

/** The position of a value in a body: its component and its member. */
interface Place extends ExampleOptions {
  component: string;
  member: string;
}

/**
 * An example that matches the schema, composed member by member from the listed values.
 *
 * @throws Error for a text without a listed value
 */
export function composeExample(schema: JsonSchema, components: Components, options: ExampleOptions): unknown {
  return compose(schema, components, { ...options, component: '', member: '' });
}

function compose(schema: JsonSchema, components: Components, place: Place): unknown {
  const written = writtenValue(place, schema);
  if (written !== undefined) return written;
  const name = componentNameOf(schema);
  if (name !== null) return compose(resolved(schema, components), components, { ...place, component: name });
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  const [alternative = schema] = alternativesOf(schema);
  if (alternative !== schema) return compose(alternative, components, place);
  const types = typesOf(schema);
  if (types.includes('object')) return composeObject(schema, components, place);
  if (types.includes('array')) return schema.items ? [compose(schema.items, components, place)] : [];
  if (types.includes('boolean')) return false;
  if (types.length === 1 && types[0] === 'null') return null;
  throw new Error(`Write down an example of ${place.component}.${place.member} (${place.operationId}) in values.ts`);
}

function writtenValue({ component, member, operationId }: Place, schema: JsonSchema): unknown {
  const keys = [`${operationId}.${member}`, `${component}.${member}`, member];
  const key = keys.find((candidate) => candidate in EXAMPLE_VALUES);
  if (member === '' || key === undefined) return undefined;
  const value = EXAMPLE_VALUES[key];
  // The same name may be a text in one place and a list or object in another.
  return isOfType(value, schema) ? value : undefined;
}

function isOfType(value: unknown, schema: JsonSchema): boolean {
  const types = [schema, ...alternativesOf(schema)].flatMap(typesOf);
  if (types.length === 0 || value === null) return true;
  if (Array.isArray(value)) return types.includes('array');
  if (typeof value === 'number') return types.includes('integer') || types.includes('number');
  return types.includes(typeof value);
}

function composeObject(schema: JsonSchema, components: Components, place: Place): unknown {
  const { properties, additionalProperties } = schema;
  if (properties === undefined) {
    return typeof additionalProperties === 'object'
      ? { usd: compose(additionalProperties, components, { ...place, member: 'amount' }) }
      : {};
  }
  const shown = place.isRequest ? membersToSend(schema, place) : Object.keys(properties);
  return Object.fromEntries(
    shown.map((member) => [member, compose(properties[member] ?? {}, components, { ...place, member })]),
  );
}

/** The members listed for the body, else the required ones, else all. */
function membersToSend({ properties = {}, required = [] }: JsonSchema, { component, member }: Place): string[] {
  const written = SHOWN_MEMBERS[member === '' ? component : `${component}.${member}`];
  if (written !== undefined) return written.filter((name) => name in properties);
  if (component.endsWith('Patch') && member === '') return Object.keys(properties).slice(0, 1);
  return required.length > 0 ? required : Object.keys(properties);
}
