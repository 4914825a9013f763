import { EXAMPLE_IDS } from './ids.ts';

const URL = 'https://example.com/webhooks/refbridge';
const TYPES = ['sale.created', 'sale.refunded'];
const OCCURRED_AT = '2026-07-16T10:00:07.000Z';
const SENT_AT = '2026-07-16T10:00:08.000Z';
const SALE = { id: EXAMPLE_IDS.sale, amount: 4900, currency: 'usd', status: 'pending' };

function ofEndpoint(component: string) {
  return {
    [`${component}.id`]: EXAMPLE_IDS.eventEndpoint,
    [`${component}.url`]: URL,
    [`${component}.types`]: TYPES,
    [`${component}.description`]: 'Our data warehouse',
    [`${component}.disabledReason`]: null,
  };
}

function ofEvent(component: string) {
  return {
    [`${component}.id`]: EXAMPLE_IDS.event,
    [`${component}.type`]: 'sale.created',
    [`${component}.timestamp`]: OCCURRED_AT,
  };
}

/** The sale that the other examples are about, as an endpoint receives it. */
export const EVENT_VALUES = {
  ...ofEndpoint('EventEndpoint'),
  ...ofEndpoint('EventEndpointWithSecret'),
  'EventEndpointInput.url': URL,
  'EventEndpointInput.types': TYPES,
  'updateEventEndpoint.enabled': true,
  secret: 'whsec_kXr2pQ9vZl4mN8cRb5WdTKp6YsGjHq7t0Xv4Lm1NcUw=',
  enabled: true,
  disabledAt: null,
  failingSince: null,
  lastSuccessAt: SENT_AT,
  ...ofEvent('Event'),
  ...ofEvent('EventDetail'),
  'EventDetail.attempts': [
    {
      endpointId: EXAMPLE_IDS.eventEndpoint,
      number: 1,
      attemptedAt: SENT_AT,
      durationMs: 84,
      responseStatus: 204,
      error: null,
      response: null,
    },
  ],
  'EventDelivery.endpointId': EXAMPLE_IDS.eventEndpoint,
  'EventDelivery.url': URL,
  'EventDelivery.status': 'delivered',
  'EventDelivery.error': null,
  attemptedAt: SENT_AT,
  responseStatus: 204,
  deliveredAt: SENT_AT,
  'EventAttempt.endpointId': EXAMPLE_IDS.eventEndpoint,
  'EventAttempt.number': 1,
  'EventAttempt.error': null,
  'EventAttempt.response': null,
  durationMs: 84,
  'ResendInput.endpointId': EXAMPLE_IDS.eventEndpoint,
  'resendEvents.since': '2026-07-16T00:00:00Z',
  since: '2026-07-16T00:00:00Z',
  'Resent.count': 12,
  'EventListener.id': EXAMPLE_IDS.eventListener,
  'EventListener.types': TYPES,
  'EventListener.expiresAt': '2026-07-16T11:00:07.000Z',
  'EventListenerInput.types': TYPES,
  'EventFetchInput.received': [EXAMPLE_IDS.event],
  'FetchedEvents.id': EXAMPLE_IDS.event,
  'FetchedEvents.type': 'sale.created',
  'FetchedEvents.body': JSON.stringify({ type: 'sale.created', timestamp: OCCURRED_AT, data: SALE }),
};
