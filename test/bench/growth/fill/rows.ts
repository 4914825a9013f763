/** The rows of partners, links and customers; `money-rows.ts` contains what they bought. */
import { CUSTOMER_NAME } from '../../deliveries.ts';
import { ACCOUNT_ID, ENDPOINT_ID, LINK_DOMAIN, type Names, PROGRAM_ID } from './names.ts';
import { accountCreatedAt, DAY_MS, LINKS, PARTNERS, partnerOfLink, type Shape } from './shape.ts';

export type Value = string | number | null;

/** The rows of one table in the order of its key, as they are written. */
export interface TableRows {
  table: string;
  columns: readonly string[];
  rows: Iterable<readonly Value[]>;
}

const HOUR_MS = 3_600_000;
const DEVICES = ['desktop', 'mobile', 'tablet'];
const PORTAL = {
  allowedOrigins: [],
  showBranding: true,
  showEarnings: true,
  showPayoutHistory: true,
  showReferralLink: true,
  showStats: true,
  theme: { title: null, description: null, fontFamily: null, logoUrl: null, shadcnTheme: { light: {}, dark: {} } },
};
/** 20 % without an end, held for 30 days. */
const COMMISSION = { type: 'percentage', rateBasisPoints: 2_000 };

/** The terms that every sale was recorded with. */
export const TERMS = JSON.stringify({
  commission: COMMISSION,
  source: 'program',
  durationMonths: null,
  holdDays: 30,
  amountBasis: 'net',
});

/** One account with a program, a Stripe endpoint without secrets, its partners and their links. */
export function ownerTables(names: Names): TableRows[] {
  const createdAt = accountCreatedAt(names.shape);
  return [
    { table: 'accounts', columns: ['id', 'name', 'created_at'], rows: [[ACCOUNT_ID, 'Benchmark', createdAt]] },
    programRows(createdAt),
    {
      table: 'webhook_endpoints',
      columns: ['id', 'account_id', 'program_id', 'processor', 'settings', 'secret_counts', 'created_at'],
      rows: [[ENDPOINT_ID, ACCOUNT_ID, PROGRAM_ID, 'stripe', '{"acceptTestEvents":false}', '{}', createdAt]],
    },
    {
      table: 'partners',
      columns: ['id', 'account_id', 'program_id', 'name', 'email', 'tenant_id', 'status', 'created_at'],
      rows: partnerRows(names),
    },
    {
      table: 'links',
      columns: ['id', 'account_id', 'program_id', 'partner_id', 'domain', 'key', 'url', 'created_at'],
      rows: linkRows(names),
    },
    { table: 'link_holders', columns: ['link_id', 'partner_id'], rows: holderRows(names) },
  ];
}

function programRows(createdAt: number): TableRows {
  const values = {
    id: PROGRAM_ID,
    account_id: ACCOUNT_ID,
    name: 'Benchmark',
    description: '',
    commission: JSON.stringify(COMMISSION),
    hold_days: 30,
    minimum_payout: '{}',
    amount_basis: 'net',
    email_matching: 0,
    self_referral: 'off',
    tracked_hosts: '[]',
    portal: JSON.stringify(PORTAL),
    created_at: createdAt,
  };
  return { table: 'programs', columns: Object.keys(values), rows: [Object.values(values)] };
}

function* partnerRows(names: Names): Generator<Value[]> {
  const { from } = names.shape;
  for (const [row, id] of names.partners.entries()) {
    const person = [`Partner ${row}`, `partner${row}@example.com`, `tenant-${row}`];
    yield [id, ACCOUNT_ID, PROGRAM_ID, ...person, 'active', from - 30 * DAY_MS + row * 1_000];
  }
}

function* linkRows(names: Names): Generator<Value[]> {
  const { from } = names.shape;
  for (const [row, id] of names.links.entries()) {
    const partner = names.partnerAt(partnerOfLink(row));
    const place = [LINK_DOMAIN, linkKey(row), 'https://example.com/lamps?ref=links'];
    yield [id, ACCOUNT_ID, PROGRAM_ID, partner, ...place, from - 29 * DAY_MS + row * 1_000];
  }
}

/** The path of a short link. */
export function linkKey(link: number): string {
  return `bench${link}`;
}

function* holderRows(names: Names): Generator<Value[]> {
  for (const [row, id] of names.links.entries()) yield [id, names.partnerAt(partnerOfLink(row))];
}

/** A click, a customer, a lead and an identity each. */
export function customerTables(shape: Shape, names: Names): TableRows[] {
  const person = ['external_id', 'email', 'email_lower', 'name', 'click_id', 'link_id', 'partner_id', 'program_id'];
  const lead = ['customer_id', 'event_name', 'click_id', 'link_id', 'partner_id'];
  return [
    {
      table: 'clicks',
      columns: ['id', 'account_id', 'link_id', 'referrer_host', 'device', 'visitor_hash', 'created_at'],
      rows: clickRows(shape, names),
    },
    { table: 'link_clicks', columns: ['link_id', 'hour', 'clicks'], rows: clickCounts(shape, names) },
    { table: 'customers', columns: ['id', 'account_id', ...person, 'created_at'], rows: customerRows(shape, names) },
    { table: 'leads', columns: ['id', 'account_id', ...lead, 'created_at'], rows: leadRows(shape, names) },
    {
      table: 'identities',
      columns: ['account_id', 'processor', 'kind', 'value', 'external_id', 'email_lower', 'customer_id'],
      rows: identityRows(shape, names),
    },
  ];
}

function* clickRows(shape: Shape, names: Names): Generator<Value[]> {
  for (let row = 0; row < shape.customers; row++) {
    const device = DEVICES[row % DEVICES.length] as string;
    const id = names.click(row);
    const visitor = [row % 2 === 0 ? 'blog.example.com' : null, device, id.slice(-16)];
    yield [id, ACCOUNT_ID, names.linkAt(shape.linkOf(row)), ...visitor, shape.clickAt(row)];
  }
}

/** Counted in one array over all links and hours: 70 MB at any size. */
function* clickCounts(shape: Shape, names: Names): Generator<Value[]> {
  const firstHour = Math.floor(shape.from / HOUR_MS);
  const hours = Math.ceil(shape.until / HOUR_MS) - firstHour;
  const counts = new Uint16Array(LINKS * hours);
  for (let row = 0; row < shape.customers; row++) {
    const hour = Math.floor(shape.clickAt(row) / HOUR_MS) - firstHour;
    const cell = shape.linkOf(row) * hours + hour;
    counts[cell] = (counts[cell] as number) + 1;
  }
  for (const [cell, clicks] of counts.entries()) {
    if (clicks > 0) yield [names.linkAt(Math.floor(cell / hours)), firstHour + (cell % hours), clicks];
  }
}

function* customerRows(shape: Shape, names: Names): Generator<Value[]> {
  for (let row = 0; row < shape.customers; row++) {
    const link = shape.linkOf(row);
    const email = names.email(row);
    const person = [names.externalId(row), email, email, CUSTOMER_NAME];
    const owner = [names.click(row), names.linkAt(link), names.partnerAt(partnerOfLink(link)), PROGRAM_ID];
    yield [names.customer(row), ACCOUNT_ID, ...person, ...owner, shape.customerAt(row)];
  }
}

function* leadRows(shape: Shape, names: Names): Generator<Value[]> {
  for (let row = 0; row < shape.customers; row++) {
    const link = shape.linkOf(row);
    const owner = [names.click(row), names.linkAt(link), names.partnerAt(partnerOfLink(link))];
    yield [names.lead(row), ACCOUNT_ID, names.customer(row), 'Sign up', ...owner, shape.customerAt(row)];
  }
}

function* identityRows(shape: Shape, names: Names): Generator<Value[]> {
  for (let place = 0; place < shape.customers; place++) {
    const row = shape.customerOrder.rowAt(place);
    const person = [names.externalId(row), names.email(row), names.customer(row)];
    yield [ACCOUNT_ID, 'stripe', 'customer', names.processorCustomer(row), ...person];
  }
}

/** The number of partners and links that `Names` needs. */
export const OWNERS = { partners: PARTNERS, links: LINKS };
