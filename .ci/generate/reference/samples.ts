import { componentNameOf, type JsonSchema } from '../json-schema.ts';
import type { PlacedOperation } from '../openapi.ts';

const HOST = 'https://refer.example.com';

/** Operations for which `refbridge/client` has a method of the same name. */
const CLIENT_METHODS = new Set(['trackLead', 'trackSale', 'createEmbedToken']);

/** The credential of a request in samples. */
function tokenOf({ security }: PlacedOperation): 'apiKey' | 'embedToken' | null {
  const schemes = security.flatMap((alternative) => Object.keys(alternative));
  if (schemes.includes('bearerAuth')) return 'apiKey';
  return schemes.includes('embedBearerAuth') ? 'embedToken' : null;
}

/** The path with its parameters filled in and the required query parameters. */
function addressOf({ path, parameters = [] }: PlacedOperation): string {
  const filled = parameters
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example))), path);
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  return query.length > 0 ? `${filled}?${query.join('&')}` : filled;
}

/** The first example of the body; undefined without a body. */
function bodyExampleOf({ requestBody }: PlacedOperation): unknown {
  const media = requestBody?.content['application/json'];
  return media?.example ?? Object.values(media?.examples ?? {})[0]?.value;
}

export function curlSample(operation: PlacedOperation): string {
  const { method } = operation;
  const body = bodyExampleOf(operation);
  const token = tokenOf(operation);
  const isUsualMethod = method === (body === undefined ? 'GET' : 'POST');
  const lines = [
    `curl ${isUsualMethod ? '' : `-X ${method} `}${quoted(HOST + addressOf(operation))}`,
    ...(token === null
      ? []
      : [`-H "Authorization: Bearer $${token === 'apiKey' ? 'REFBRIDGE_API_KEY' : 'EMBED_TOKEN'}"`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${shellJson(body)}'`]),
  ];
  return lines.join(' \\\n  ');
}

/** A call of the client's method if there is one, else of `fetch`. */
export function typescriptSample(operation: PlacedOperation): string {
  return CLIENT_METHODS.has(operation.operationId) ? clientSample(operation) : fetchSample(operation);
}

function clientSample(operation: PlacedOperation): string {
  return [
    `import { createClient } from 'refbridge/client';`,
    '',
    `const refbridge = createClient({ baseUrl: '${HOST}', apiKey });`,
    `const result = await refbridge.${operation.operationId}(${literal(bodyExampleOf(operation))});`,
  ].join('\n');
}

function fetchSample(operation: PlacedOperation): string {
  const body = bodyExampleOf(operation);
  const token = tokenOf(operation);
  const headers = [
    ...(token === null ? [] : [`authorization: \`Bearer \${${token}}\``]),
    ...(body === undefined ? [] : [`'content-type': 'application/json'`]),
  ];
  const options = [
    ...(operation.method === 'GET' ? [] : [`method: '${operation.method}'`]),
    ...(headers.length === 0 ? [] : [`headers: { ${headers.join(', ')} }`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${literal(body, 1)})`]),
  ];
  const address = `'${HOST}${addressOf(operation)}'`;
  const call = options.length === 0 ? address : `${address}, {\n${options.map((line) => `  ${line},\n`).join('')}}`;
  return [...importOf(operation), `const response = await fetch(${call});`, ...readingOf(operation)].join('\n');
}

function answerTypeOf({ responses }: PlacedOperation): string | null {
  const success = Object.entries(responses).find(([status]) => Number(status) < 300)?.[1];
  const schema: JsonSchema | undefined = success?.content?.['application/json']?.schema;
  return schema === undefined ? null : componentNameOf(schema);
}

function importOf(operation: PlacedOperation): string[] {
  return answerTypeOf(operation) === null ? [] : [`import type { Api } from 'refbridge/client';`, ''];
}

function readingOf(operation: PlacedOperation): string[] {
  const type = answerTypeOf(operation);
  if (type !== null) return [`const answer: Api.${type} = await response.json();`];
  const contents = Object.values(operation.responses).flatMap(({ content }) => Object.keys(content ?? {}));
  return contents.some((content) => content.startsWith('text/') && content !== 'text/plain')
    ? ['const text = await response.text();']
    : [];
}

/** Escapes text for single quotes in a shell. */
function shellJson(value: unknown): string {
  const text = JSON.stringify(value, null, 2).replaceAll("'", `'\\''`);
  return text.replaceAll('\n', '\n  ');
}

function quoted(address: string): string {
  return /[?&]/.test(address) ? `'${address}'` : address;
}

/** A value as a TypeScript literal. */
function literal(value: unknown, depth = 0): string {
  const text = JSON.stringify(value, null, 2)
    .replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
    .replaceAll(
      /"((?:[^"\\]|\\.)*)"/g,
      (_, inner: string) => `'${inner.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`,
    );
  return text.replaceAll('\n', `\n${'  '.repeat(depth)}`);
}
