import type { CsvColumns } from '../app/csv-list.ts';
import type { DeliveryResource } from './schemas.ts';

const columns: CsvColumns<DeliveryResource> = {
  delivery_id: ({ id }) => id,
  received_at: ({ receivedAt }) => receivedAt,
  processor: ({ processor }) => processor,
  endpoint_id: ({ endpointId }) => endpointId,
  event_id: ({ eventId }) => eventId,
  event_type: ({ eventType }) => eventType,
  outcome: ({ outcome }) => outcome,
  reason: ({ reason }) => reason,
  status: ({ status }) => status,
  attempts: ({ attempts }) => attempts,
  sale_id: ({ saleId }) => saleId,
};

/** The list of deliveries as a file. */
export const DELIVERIES_FILE = { name: 'deliveries', columns };
