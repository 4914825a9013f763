import { z } from 'zod';
import { type Components, type JsonSchema, referenceTo } from './json-schema.ts';
import type { OpenApiDocument } from './openapi.ts';

/** An event that the service sends to the servers of its users. */
export interface EventDeclaration {
  /** `sale.created`. */
  type: string;
  summary: string;
  /** The resource that it reports, which has a name. */
  data: z.ZodObject;
}

/** The chapter of their endpoints. */
const TAG = 'Events';

/** As Standard Webhooks names them. */
const HEADERS = {
  'webhook-id': "The event's id, the same in every attempt.",
  'webhook-timestamp': 'The time of this attempt, in seconds since 1970.',
  'webhook-signature':
    '`v1,` and the signature in Base64; several, separated by spaces, after a rotation of the secret.',
};

/** Adds the `webhooks`: the requests that a receiver of these events gets. */
export function withEvents(document: OpenApiDocument, events: readonly EventDeclaration[]): OpenApiDocument {
  if (events.length === 0) return document;
  const schemas = { ...document.components?.schemas } as Components;
  for (const { type, data } of events) {
    const name = data.meta()?.id ?? '';
    // written here, because a resource in a request would be another component than the same one in an answer
    schemas[name] ??= schemaOf(data);
    schemas[bodyName(type)] = {
      type: 'object',
      properties: {
        type: { type: 'string', const: type },
        timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
        data: referenceTo(name),
      },
      required: ['type', 'timestamp', 'data'],
    };
  }
  const webhooks = Object.fromEntries(events.map((event) => [event.type, { post: operationOf(event) }]));
  return { ...document, webhooks, components: { ...document.components, schemas } } as OpenApiDocument;
}

function operationOf({ type, summary }: EventDeclaration) {
  return {
    operationId: `receive${bodyName(type)}`,
    tags: [TAG],
    summary,
    // the signature is the credential
    security: [],
    parameters: Object.entries(HEADERS).map(([name, description]) => ({
      in: 'header',
      name,
      required: true,
      description,
      schema: { type: 'string' },
    })),
    requestBody: { required: true, content: { 'application/json': { schema: referenceTo(bodyName(type)) } } },
    responses: { '2XX': { description: 'Received. After any other answer, the event is sent again.' } },
  };
}

function schemaOf({ shape }: z.ZodObject): JsonSchema {
  // a schema with a name would be a reference
  const { $schema: _version, ...schema } = z.toJSONSchema(z.object(shape));
  return schema as JsonSchema;
}

/** `SaleCreatedEvent` for `sale.created`. */
function bodyName(type: string): string {
  const words = type.split(/[._]/).map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `${words.join('')}Event`;
}
