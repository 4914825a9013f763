import type { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';

/** An event that the service sends to the servers of its users. */
export interface EventDeclaration {
  /** `sale.created`. */
  type: string;
  summary: string;
  description?: string;
  body: z.ZodType;
}

/** The `webhooks` of the document: the requests that a receiver of these events gets. */
export function webhooksOf(events: readonly EventDeclaration[]): ZodOpenApiPathsObject {
  return Object.fromEntries(
    events.map(({ type, summary, description, body }) => [
      type,
      {
        post: {
          operationId: `receive:${type}`,
          summary,
          ...(description === undefined ? {} : { description }),
          requestBody: { required: true, content: { 'application/json': { schema: body } } },
          responses: { '2XX': { description: 'Received. After any other answer, the event is sent again.' } },
        },
      },
    ]),
  );
}
