import { ERROR_CODES, ERROR_MEANINGS, errorExample } from './error-meanings.ts';
import type { JsonSchema } from './json-schema.ts';

const PROBLEM: JsonSchema = {
  type: 'object',
  properties: {
    path: { type: 'string', description: 'The member (`metadata.plan`); empty for the whole body.' },
    message: { type: 'string', description: 'What to do about it.' },
  },
  required: ['path', 'message'],
};

const ERROR: JsonSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', enum: ERROR_CODES },
        message: { type: 'string', description: 'Says what is wrong and what to do.' },
        details: {
          type: 'array',
          items: PROBLEM,
          description: 'Only for `VALIDATION_ERROR`: every problem at once, at most 100.',
        },
      },
      required: ['code', 'message'],
    },
  },
  required: ['error'],
};

/** The shape of every error, with an example of each. */
export function errorResponseComponents() {
  const examples = ERROR_CODES.map((code) => [code, { summary: ERROR_MEANINGS[code].when, value: errorExample(code) }]);
  return { schemas: { Error: ERROR as never }, examples: Object.fromEntries(examples) };
}
