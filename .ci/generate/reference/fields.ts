import { alternativesOf, type Components, componentNameOf, type JsonSchema, resolved } from '../json-schema.ts';
import type { Parameter } from '../openapi.ts';
import { type Html, html } from './html.ts';
import { inline, markdown } from './markdown.ts';
import { constraintsOf, formatsOf, nullableTypeLabel, typeLabel, valuesOf } from './type-label.ts';
import { type Variants, variantsOf } from './variants.ts';

/** Requests mark required members; responses mark members that may be missing. */
export type Direction = 'sent' | 'answered';

interface Field {
  name: string;
  schema: JsonSchema;
  description: string | undefined;
  isRequired: boolean;
}

/** A list of parameters. */
export function parameterFields(parameters: readonly Parameter[], components: Components): Html {
  const fields = parameters.map(({ name, schema, description, required = false }) => ({
    name,
    schema,
    description,
    isRequired: required,
  }));
  return fieldList(fields, 'sent', new Printer(components));
}

/** The members of a body, with nested ones indented; null if it has none. */
export function bodyFields(schema: JsonSchema, direction: Direction, components: Components): Html | null {
  return new Printer(components).membersOf(schema, direction);
}

/** Tracks the enclosing components, so that a recursive one terminates. */
class Printer {
  readonly #components: Components;
  readonly #within: string[] = [];

  constructor(components: Components) {
    this.#components = components;
  }

  membersOf(schema: JsonSchema, direction: Direction): Html | null {
    const name = componentNameOf(schema);
    if (name === null) return this.#membersOfPlain(schema, direction);
    if (this.#within.includes(name)) return null;
    this.#within.push(name);
    const members = this.#membersOfPlain(resolved(schema, this.#components), direction);
    this.#within.pop();
    return members;
  }

  #membersOfPlain(schema: JsonSchema, direction: Direction): Html | null {
    const alternatives = alternativesOf(schema);
    if (alternatives.length > 1 || alternatives[0] !== schema) return this.#alternatives(alternatives, direction);
    if (schema.items) return this.membersOf(schema.items, direction);
    if (schema.properties === undefined) {
      return typeof schema.additionalProperties === 'object'
        ? this.membersOf(schema.additionalProperties, direction)
        : null;
    }
    const { properties, required = [] } = schema;
    const fields = Object.entries(properties).map(([name, member]) => ({
      name,
      schema: member,
      description: member.description ?? this.#descriptionOf(member),
      isRequired: required.includes(name),
    }));
    return fieldList(fields, direction, this);
  }

  #alternatives(alternatives: readonly JsonSchema[], direction: Direction): Html | null {
    const variants = variantsOf(alternatives);
    if (variants !== null) return this.#variants(variants, direction);
    const lists = alternatives.flatMap((alternative) => this.membersOf(alternative, direction) ?? []);
    if (lists.length < 2) return lists[0] ?? null;
    return html`${lists.map((list, index) => html`${index > 0 && html`<p class="or">or</p>`}${list}`)}`;
  }

  #variants({ member, common, own }: Variants, direction: Direction): Html {
    return html`${this.#membersOfPlain(common, direction)}${own.map(
      ({ value, schema }) => html`<p class="variant">Only where <code>${member}</code> is <code>${value}</code></p>
${this.#membersOfPlain(schema, direction)}`,
    )}`;
  }

  #descriptionOf(schema: JsonSchema): string | undefined {
    return componentNameOf(schema) === null ? undefined : resolved(schema, this.#components).description;
  }
}

function fieldList(fields: readonly Field[], direction: Direction, printer: Printer): Html {
  return html`<ul class="fields">${fields.map((field) => fieldItem(field, direction, printer))}</ul>\n`;
}

function fieldItem({ name, schema, description, isRequired }: Field, direction: Direction, printer: Printer): Html {
  const isSent = direction === 'sent';
  const mark = isSent ? isRequired && 'required' : !isRequired && 'may be missing';
  const type = isSent && !isRequired ? typeLabel(schema) : nullableTypeLabel(schema);
  const values = valuesOf(schema);
  const only = isSent ? 'Only' : 'Always';
  const constraints = isSent ? constraintsOf(schema) : formatsOf(schema);
  return html`<li>
<p class="field"><code class="name">${name}</code> <span class="type">${type}</span>${
    mark && html` <span class="mark">${mark}</span>`
  }</p>
${description !== undefined && markdown(description)}
${
  values.length > 0 &&
  html`<p class="values">${values.length > 1 ? 'One of' : only} ${values.map((value) => html`<code>${String(value)}</code> `)}</p>`
}${constraints.length > 0 && html`<p class="constraints">${inline(capitalized(constraints.join('; ')))}</p>`}
${printer.membersOf(schema, direction)}</li>`;
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
