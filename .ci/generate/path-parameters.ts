import { z } from 'zod';
import type { Route } from '../../src/app/route.ts';
import { PROCESSORS } from '../../src/core/processor.ts';
import { TRANSFER_RAIL_NAMES } from '../../src/rails/index.ts';
import { EXAMPLE_IDS } from './examples/ids.ts';

interface PathParameter {
  description: string;
  example: string;
  schema?: z.ZodType;
}

/** By the preceding segment and the parameter's name. */
const PATH_PARAMETERS: Readonly<Record<string, PathParameter>> = {
  '/:key': { description: 'The key of the link.', example: 'ana' },
  'api-keys/:id': { description: 'The id of the API key.', example: EXAMPLE_IDS.apiKey },
  'customers/:externalId': { description: 'Your own id for the customer.', example: 'user_42' },
  'deliveries/:id': { description: 'The id of the delivery.', example: EXAMPLE_IDS.delivery },
  'event-endpoints/:id': { description: 'The id of the event endpoint.', example: EXAMPLE_IDS.eventEndpoint },
  'event-listeners/:id': { description: 'The id of the listener.', example: EXAMPLE_IDS.eventListener },
  'events/:id': { description: 'The id of the event.', example: EXAMPLE_IDS.event },
  'exports/:id': { description: 'The id of the export.', example: EXAMPLE_IDS.export },
  'files/:id': { description: 'The id of the file.', example: EXAMPLE_IDS.payoutFile },
  'imports/:id': { description: 'The id of the import.', example: EXAMPLE_IDS.import },
  'links/:id': { description: 'The id of the link.', example: EXAMPLE_IDS.link },
  'operators/:id': { description: 'The id of the operator.', example: EXAMPLE_IDS.operator },
  'parked-payments/:id': { description: 'The id of the parked payment.', example: EXAMPLE_IDS.payment },
  'partners/:id': { description: 'The id of the partner.', example: EXAMPLE_IDS.partner },
  'payouts/:id': { description: 'The id of the payout.', example: EXAMPLE_IDS.payout },
  'programs/:id': { description: 'The id of the program.', example: EXAMPLE_IDS.program },
  'rails/:rail': {
    description: 'The rail.',
    example: TRANSFER_RAIL_NAMES[0],
    schema: z.enum(TRANSFER_RAIL_NAMES),
  },
  'reconciliations/:id': { description: 'The id of the reconciliation.', example: EXAMPLE_IDS.reconciliation },
  'sales/:id': { description: 'The id of the sale.', example: EXAMPLE_IDS.sale },
  'sessions/:id': { description: 'The id of the session.', example: EXAMPLE_IDS.session },
  'webhook-endpoints/:id': { description: 'The id of the webhook endpoint.', example: EXAMPLE_IDS.endpoint },
  'webhooks/:processor': { description: 'Who sends the delivery.', example: 'stripe', schema: z.enum(PROCESSORS) },
  ':processor/:endpointId': { description: 'The id of the webhook endpoint.', example: EXAMPLE_IDS.endpoint },
};

/**
 * The parameters of a route's path as one object schema; null for a path without any.
 *
 * @throws Error for a parameter without a description
 */
export function pathParametersOf({ path }: Pick<Route, 'path'>): z.ZodObject | null {
  const segments: string[] = path.split('/');
  const parameters = segments.flatMap((segment, index) => {
    if (!segment.startsWith(':')) return [];
    const place = `${segments[index - 1]}/${segment}`;
    const described = PATH_PARAMETERS[place];
    if (described === undefined) throw new Error(`Describe the parameter ${place} of ${path} in path-parameters.ts`);
    const { description, example, schema = z.string() } = described;
    return [[segment.slice(1), schema.meta({ description, example })] as const];
  });
  return parameters.length === 0 ? null : z.object(Object.fromEntries(parameters));
}

/** `/api/links/:id` → `/api/links/{id}`. */
export function templateOf({ path }: Pick<Route, 'path'>): string {
  return path.replaceAll(/:(\w+)/g, '{$1}');
}
