const IN_ORDER = String.raw`(\((programId|archived|narrow|period|, )+\))?`;

/** Steps of partners and links that cost more than the rows they find, each with the reason why that is intended. */
export const MEANT_OF_PARTNERS = [
  {
    query: new RegExp(`^programs\\.find(Partners|PartnerNames)${IN_ORDER}$`),
    steps: ['walk partners'],
    reason: 'the whole account in order, until the page is full: without a filter, or with too many programs to merge',
  },
  {
    query: new RegExp(`^links\\.find(Links|LinkKeys)${IN_ORDER}$`),
    steps: ['walk links'],
    reason: 'the whole account in order, until the page is full: without a filter, or with too many programs to merge',
  },
  {
    query: /^(programs\.find(Partners|PartnerNames)|links\.find(Links|LinkKeys))\(source=in use/,
    steps: ['walk partners', 'walk links'],
    reason: 'PostgreSQL expects half of all rows in any program; it plans a list for the values of each call',
  },
  {
    query: /^programs\.find(Partners|PartnerNames)\(.*(email|tenantId)/,
    steps: ['sort'],
    reason: 'an address or tenant id has one partner per program',
  },
  {
    query: /^programs\.findPartnersInRanges|^links\.findLinksInRange/,
    steps: ['sort'],
    reason: 'few matches, or entries of an index only, from which the newest are taken (search-by-start.ts)',
  },
  {
    query: /^links\.find(Links|LinkKeys)\(source=of archived partners/,
    steps: ['sort', 'scan links'],
    reason: 'the links of at most 500 partners; PostgreSQL expects a third of all partners without values',
  },
  {
    query: /^links\.findReservedLinks$/,
    steps: ['scan links', 'walk links', 'sort'],
    reason: 'once per upgrade',
  },
  { query: /^links\.findReferrer$/, steps: ['sort'], reason: 'the discount codes of one partner' },
  {
    query: /^links\.countLinksByDomain$/,
    steps: ['walk links', 'scan links', 'sort'],
    reason: 'only `refbridge doctor` counts links',
  },
  { query: /^payouts\.findPartnersToTotal$/, steps: ['walk partners'], reason: 'a page of the account in order' },
  {
    query: /^programs\.deleteExpiredEmbedTokens$/,
    steps: ['walk embed_tokens'],
    reason: 'the first expired ones of all accounts, by an index of their expiry',
  },
  {
    query: /^(links\.findLinkHistory|results\.sumDays\(linkId)/,
    steps: ['scan result_days'],
    reason: 'without statistics, PostgreSQL expects a link to have twenty holders; it gathers them after a minute',
  },
  {
    query: /^results\.sumLinks$/,
    steps: ['scan result_days'],
    reason: 'of 64 links; PostgreSQL uses lookups when there are more rows',
  },
  {
    query: /^payouts\.eraseTransfersTo$/,
    steps: ['scan payout_transfers'],
    reason: 'PostgreSQL reads all of a thousand rather than look up twenty; of many, it looks them up',
  },
];
