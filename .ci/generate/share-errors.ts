import { type Answer, type OpenApiDocument, operationsOf } from './openapi.ts';

/** Moves error responses that many operations share into components. */
export function shareErrors(document: OpenApiDocument): OpenApiDocument {
  const names = new Map<string, string>();
  for (const { responses } of operationsOf(document)) {
    for (const [status, answer] of Object.entries(responses)) {
      const codes = codesOf(answer);
      if (Number(status) < 400 || codes.length === 0 || !isOnlyError(answer)) continue;
      const text = JSON.stringify(answer);
      const name = names.get(text) ?? freeName(codes, new Set(names.values()));
      names.set(text, name);
      responses[status] = { $ref: `#/components/responses/${name}` } as never;
    }
  }
  const responses = Object.fromEntries([...names].map(([text, name]) => [name, JSON.parse(text)]));
  return { ...document, components: { ...document.components, responses } };
}

/** The error codes of a response, which are the names of its examples. */
export function codesOf({ content = {} }: Answer): string[] {
  return Object.keys(content['application/json']?.examples ?? {});
}

function isOnlyError({ content }: Answer): boolean {
  return content?.['application/json']?.schema.$ref === '#/components/schemas/Error';
}

/** `VALIDATION_ERROR` → `ValidationError`; the same error with other headers gets a number appended. */
function freeName(codes: readonly string[], taken: ReadonlySet<string>): string {
  const words = codes.map((code) => code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter) => letter.toUpperCase()));
  const name = words.join('Or');
  for (let count = 1; ; count += 1) {
    const candidate = count === 1 ? name : `${name}${count}`;
    if (!taken.has(candidate)) return candidate;
  }
}
