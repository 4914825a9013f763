/** Steps of sending events that cost more than the rows they find, each with the reason why that is intended. */
export const MEANT_OF_EVENTS = [
  {
    query: /^events\.findEvents(\((narrow|period)\))?$/,
    steps: ['walk events'],
    reason: 'the whole account, or the period, in order, until the page is full',
  },
  {
    query: /^events\.find(EventPart|EventTypes|OldEvents)$/,
    steps: ['walk events'],
    reason: 'reads an account in the order of ids, in pages: a search for erased persons, a resend, retention',
  },
  { query: /^events\.deleteEvents$/, steps: ['walk events'], reason: 'a page of old events, up to its last id' },
  { query: /^events\.find(LastEventId|NextAccount)$/, steps: ['walk events'], reason: 'one row' },
  { query: /^events\.findEventAttempts$/, steps: ['sort'], reason: 'an event has few' },
  { query: /^events\.find(EventsOfEndpoint|EventsByStatus|DueEvents)$/, steps: ['sort'], reason: 'a page' },
  {
    query: /^events\.findEventsOfEndpoint$/,
    steps: ['walk events'],
    reason: 'without statistics, which it gathers within a minute, PostgreSQL expects few events',
  },
  {
    query: /^events\.findUnreceived$/,
    steps: ['sort', 'scan events'],
    reason: 'a page of 100, which PostgreSQL looks up when there are more events',
  },
  {
    query: /^events\.find(DueEndpoints|EndpointsDueAfter)$/,
    steps: ['sort'],
    reason: 'endpoints, of which there are few',
  },
];
