import type { Components, JsonSchema } from '../json-schema.ts';
import type { Operation } from '../openapi.ts';
import { composeExample } from './compose.ts';

/** Adds an example to each JSON request and response that has none. */
export function addExamples(operation: Operation, components: Components): void {
  const { operationId, requestBody, responses } = operation;
  for (const [type, media] of Object.entries(requestBody?.content ?? {})) {
    if (isJson(type) && media.examples === undefined) {
      media.example = composeExample(media.schema, components, { operationId, isRequest: true });
    }
  }
  for (const [status, { content = {} }] of Object.entries(responses)) {
    for (const [type, media] of Object.entries(content)) {
      if (isJson(type) && Number(status) < 400 && !isAnything(media.schema)) {
        media.example = composeExample(media.schema, components, { operationId, isRequest: false });
      }
    }
  }
  for (const parameter of operation.parameters ?? []) {
    const { example, ...schema } = parameter.schema;
    if (example !== undefined) Object.assign(parameter, { schema, example });
  }
}

/** True for a file, which describes itself. */
function isAnything({ type, properties, additionalProperties }: JsonSchema): boolean {
  return type === 'object' && properties === undefined && additionalProperties === undefined;
}

function isJson(type: string): boolean {
  return type === 'application/json' || type.endsWith('+json');
}
