export interface Topic {
  /** The id of its heading in the reference. */
  id: string;
  title: string;
  /** Paragraphs and lists in Markdown. */
  text: string;
}

/** Topics that apply to all operations. */
export const TOPICS: readonly Topic[] = [
  {
    id: 'conventions',
    title: 'Conventions',
    text: [
      'Requests and responses are JSON in UTF-8. Amounts are whole numbers in the smallest unit of their currency: ' +
        '`4900` is 49.00 dollars, or 4,900 yen. Currencies are ISO 4217 codes. Times are ISO 8601 in UTC.',
      'An operation refuses a body or query with an unknown member, so that a typing error never goes ' +
        'unnoticed. Tracking and browser operations ignore unknown members instead. Later versions may add members to ' +
        'responses.',
      'Members of a request that are not marked as required may be left out or `null`. A text has at most 255 ' +
        'characters unless its description states another limit.',
    ].join('\n\n'),
  },
  {
    id: 'authentication',
    title: 'Authentication',
    text: [
      'Most operations take an API key: `Authorization: Bearer rb_live_…`. A key may do what its scope allows: `track`, ' +
        '`read` or `full`. Keep it on your servers. Create the first one, with the scope `full`, with `refbridge setup`, ' +
        'and more with [createApiKey](#createApiKey).',
      'The dashboard calls the same operations with the session of an operator instead of the key: a cookie, from ' +
        '[signIn](#signIn). The role of the operator decides what it may do: a `viewer` reads; a `member` changes everything ' +
        'but operators and API keys with the scope `full`, and does not export, import or erase; an `owner` may do ' +
        'everything. `refbridge login-link` prints an address that signs you in.',
      'The operations of the embedded portal take an embed token for one partner, from ' +
        '[createEmbedToken](#createEmbedToken). Webhooks carry the signature of their processor.',
    ].join('\n\n'),
  },
  {
    id: 'limits',
    title: 'Rate limits',
    text:
      'Each API key may make 600 requests a minute unless you configure another limit. Each partner may make 600, of ' +
      'which 30 may change something, with all embed tokens together. Every response to a valid key, token or session ' +
      'states the limits in `RateLimit-Policy` and what is left of them in `RateLimit`. Above the limit the response is 429 with ' +
      '`Retry-After` in seconds; wait that long, then back off exponentially.',
  },
  {
    id: 'pagination',
    title: 'Pagination',
    text:
      'Lists return the newest entry first, as `{"data": […], "nextCursor": "…"}`. Send `nextCursor` as `cursor` ' +
      'to get the next page; it is `null` on the last one. `limit` is 1 to 100, and 20 unless you send it.',
  },
  {
    id: 'updates',
    title: 'Updates',
    text:
      '`PATCH` takes a JSON Merge Patch (RFC 7396): members that you send replace the stored ones, objects are merged ' +
      'member by member, and `null` restores the default, or removes an entry of a map such as `minimumPayout`.',
  },
  {
    id: 'idempotency',
    title: 'Idempotency',
    text: [
      'A request that is refused leaves nothing behind. Only after 503 `OUTCOME_UNKNOWN`, as after a response that was lost, ' +
        'it may have been recorded.',
      'Then it is safe to repeat what reads, changes or deletes; a lead, which counts once per customer and event name; a ' +
        'sale with an `invoiceId`; and a refund, which counts once per `refundId`. Anything else, such as an adjustment or a ' +
        'sale without an `invoiceId`, may count twice: check before you repeat it.',
    ].join('\n\n'),
  },
];

/** The topics as one Markdown text. */
export function introduction(): string {
  const sections = TOPICS.map(({ title, text }) => `## ${title}\n\n${text.replaceAll(/\[(\w+)\]\(#\w+\)/g, '`$1`')}`);
  return [
    'Refbridge records which partner referred a customer, computes the commission of each payment and collects payouts.',
    ...sections,
  ].join('\n\n');
}
