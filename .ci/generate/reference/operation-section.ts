import type { ErrorCode } from '../../../src/errors.ts';
import { SUCCESS } from '../answers.ts';
import { ERROR_MEANINGS } from '../error-meanings.ts';
import { type Components, componentNameOf } from '../json-schema.ts';
import { type Answer, type OpenApiDocument, type Parameter, type PlacedOperation, resolvedAnswer } from '../openapi.ts';
import { codesOf } from '../share-errors.ts';
import { bodyFields, parameterFields } from './fields.ts';
import { type Html, html } from './html.ts';
import { inline, markdown } from './markdown.ts';
import { samplesOf } from './sample-blocks.ts';

/** One operation of the reference, under its operationId. */
export function operationSection(operation: PlacedOperation, document: OpenApiDocument): Html {
  const { operationId, summary, description, method, path } = operation;
  const components = document.components?.schemas as Components;
  const answers = answersOf(operation, document);
  return html`<article class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
<div class="prose">
<h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
<p class="place"><span class="method ${method.toLowerCase()}">${method}</span> <code>${spelled(path)}</code></p>
<p class="credential">${credentialOf(operation)}</p>
${description !== undefined && markdown(description)}
${parameterSection('Path parameters', 'path', operation, components)}
${parameterSection('Query parameters', 'query', operation, components)}
${bodySection(operation, components)}
${answers.filter(({ isError }) => !isError).map((answer) => answerSection(answer, components))}
${errorSection(answers)}
</div>
<div class="samples">
${samplesOf(operation, document)}
</div>
</article>
`;
}

interface StatusAnswer extends Answer {
  status: string;
  isError: boolean;
}

function answersOf({ responses }: PlacedOperation, document: OpenApiDocument): StatusAnswer[] {
  return Object.entries(responses).map(([status, response]) => {
    const answer = resolvedAnswer(response, document);
    const schema = answer.content?.['application/json']?.schema;
    const isError = Number(status) >= 400 && (schema === undefined || componentNameOf(schema) === 'Error');
    return { ...answer, status, isError };
  });
}

/** A path that may break after each of its segments. */
function spelled(path: string): Html {
  const parts = path.split(/(?<=\/)/);
  return html`${parts.map((part) => html`${part}<wbr>`)}`;
}

const CREDENTIALS: Readonly<Record<string, string>> = {
  bearerAuth: 'an [API key](#authentication)',
  session: "an operator's [session](#authentication)",
  embedBearerAuth: 'an [embed token](#authentication)',
  portalSession: "a partner's session in the portal",
};

function credentialOf({ security }: PlacedOperation): Html {
  const schemes = security.flatMap((alternative) => Object.keys(alternative));
  if (schemes.length === 0) return inline('Requires no credential.');
  const credentials = new Set(schemes.map((scheme) => CREDENTIALS[scheme] ?? 'the signature of the processor'));
  return inline(`Requires ${[...credentials].join(' or ')}.`);
}

function parameterSection(
  title: string,
  place: Parameter['in'],
  { parameters = [] }: PlacedOperation,
  components: Components,
): Html | null {
  const here = parameters.filter((parameter) => parameter.in === place);
  return here.length === 0 ? null : html`<h4>${title}</h4>\n${parameterFields(here, components)}`;
}

function bodySection({ requestBody }: PlacedOperation, components: Components): Html | null {
  if (requestBody === undefined) return null;
  const [schema] = Object.values(requestBody.content).map((media) => media.schema);
  const isOptional = requestBody.required !== true;
  return html`<h4>Request body${isOptional && html` <span class="aside">optional</span>`}</h4>
${requestBody.description !== undefined && markdown(requestBody.description)}
${schema !== undefined && bodyFields(schema, 'sent', components)}`;
}

function answerSection({ status, description, content = {} }: StatusAnswer, components: Components): Html {
  const schema = content['application/json']?.schema;
  const types = Object.keys(content).filter((type) => type !== 'application/json');
  return html`<h4>Response <span class="status">${status}</span></h4>
${!(schema && isUsual(description)) && markdown(description)}
${types.length > 0 && html`<p class="constraints">Content type ${types.map((type) => html`<code>${type}</code> `)}</p>`}
${schema !== undefined && bodyFields(schema, 'answered', components)}`;
}

/** Omitted when the members of the response follow. */
function isUsual(description: string): boolean {
  return Object.values(SUCCESS).includes(description);
}

function errorSection(answers: readonly StatusAnswer[]): Html | null {
  const errors = answers.filter(({ isError }) => isError);
  if (errors.length === 0) return null;
  const rows = errors.flatMap((answer) => {
    const codes = codesOf(answer);
    return codes.length > 0
      ? codes.map((code) => errorRow(answer.status, code, ERROR_MEANINGS[code as ErrorCode].when))
      : [errorRow(answer.status, null, withoutCode(answer.description))];
  });
  return html`<details class="errors">
<summary>Errors <span class="aside">${errors.map(({ status }) => status).join(' ')}</span></summary>
<ul>${rows}</ul>
</details>`;
}

function errorRow(status: string, code: string | null, when: string): Html {
  return html`<li><span class="status">${status}</span> ${
    code !== null && html`<a href="#errors"><code>${code}</code></a> `
  }<span class="when">${inline(when)}</span></li>\n`;
}

/** A response for people is a line of text without an error code. */
function withoutCode(description: string): string {
  return description.replace(/^`\w+`: /, '');
}
