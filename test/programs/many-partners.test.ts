import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Service } from '../../src/app/service.ts';
import type { AccountId } from '../../src/core/ids.ts';
import { listLinks } from '../../src/links/links.ts';
import { listPartners } from '../../src/programs/partners.ts';
import type { SqlValue, Transaction } from '../../src/storage/database.ts';
import { BULK_SIZES, manyRows } from '../../src/storage/many-rows.ts';
import { createTestDatabase, engines, type TestDatabase } from '../helpers/databases.ts';
import { someOf } from '../helpers/rounds.ts';
import { createTestService } from '../helpers/service.ts';

const LIMIT = 100;
const PAGES_COMPARED = 3;
/** More than a search walks before it sorts. */
const PARTNERS = 7_000;
/** The oldest ones, with a name of their own: too many to sort at once, and none of them is on the first pages. */
const OLD_PARTNERS = 1_500;
const NAMES = ['Ana', 'ANA', 'Élan', 'élan', 'Straße', 'STRASSE', 'ſam', 'ﬁona', 'Fiona', 'ılgın', 'Σοφία', 'σοφία'];
const SEARCHES = ['É', 'strass', 'FI', 'Σο', 'OLD', 'old 1', 'x7', 'nobody'];
const HOUR_MS = 3_600_000;
const FIRST_AT = Date.UTC(2026, 0, 1);

type Row = Record<string, SqlValue> & { id: string; account_id: string; archived_at: number | null };

/** An account; the first has few programs, the second more than a list merges. */
interface Account {
  id: AccountId;
  programs: Row[];
  partners: Row[];
  links: Row[];
}

/** The id of what an account created in the n-th hour. */
const idOf = (prefix: string, account: number, n: number) =>
  `${prefix}_${(FIRST_AT + n * HOUR_MS).toString(16).padStart(12, '0')}${String(account).padEnd(20, '0')}`;
const oneOf = <T>(values: readonly T[]) => values[Math.floor(Math.random() * values.length)] as T;
const timeOr = (part: number) => (Math.random() < part ? 1 : null);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

/** @param archivedPart how many partners are archived themselves: few whose links are sorted, or many */
function createRows(account: number, { programs: programCount, archivedPart }: Record<string, number>): Account {
  const id = idOf('acc', account, 1) as AccountId;
  const programs = numbers(programCount ?? 0).map((n) => ({
    ...{
      id: idOf('prg', account, n),
      account_id: id,
      name: 'Partners',
      description: '',
      commission: '{}',
      hold_days: 30,
    },
    ...{ minimum_payout: '{}', amount_basis: 'net', email_matching: 1, self_referral: 'flag', tracked_hosts: '[]' },
    ...{ portal: '{}', created_at: 1, archived_at: n % 3 === 1 ? 1 : null },
  }));
  const partners = numbers(PARTNERS).map((n) => {
    const deletedAt = timeOr(0.02);
    const partnerId = idOf('ptr', account, n);
    const name = n < OLD_PARTNERS ? `Old ${n}` : `${oneOf(NAMES)} ${n}`;
    return {
      ...{ id: partnerId, account_id: id, program_id: n % 50 === 0 ? oneOf(programs).id : (programs[n % 3]?.id ?? '') },
      ...{ name: deletedAt === null ? name : '', email: deletedAt === null ? `x${n}@example.com` : partnerId },
      ...{ status: 'active', created_at: FIRST_AT + n * HOUR_MS, archived_at: timeOr(archivedPart ?? 0) },
      deleted_at: deletedAt,
    };
  });
  const links = numbers(PARTNERS).map((n) => {
    const partner = oneOf(partners);
    const linkId = idOf('lnk', account, n);
    const deletedAt = timeOr(0.02);
    const key = `${account}${n < OLD_PARTNERS ? 'Old' : oneOf(['x', 'X'])}${n}`;
    return {
      ...{
        id: linkId,
        account_id: id,
        program_id: partner.program_id,
        partner_id: partner.id,
        url: 'https://example.com/',
      },
      ...{ domain: deletedAt === null ? 'refer.example.com' : '', key: deletedAt === null ? key : linkId },
      ...{ created_at: FIRST_AT + n * HOUR_MS, archived_at: timeOr(0.05), deleted_at: deletedAt },
    };
  });
  return { id, programs, partners, links };
}

async function insertAll(tx: Transaction, table: string, rows: readonly Row[]): Promise<void> {
  const columns = Object.keys(rows[0] ?? {});
  const before = `INSERT INTO ${table} (${columns.join(', ')}) VALUES`;
  await manyRows({ before, names: columns, after: '' }, BULK_SIZES)(tx, rows);
}

const ACCOUNTS = [
  createRows(1, { programs: 4, archivedPart: 0.03 }),
  createRows(2, { programs: 60, archivedPart: 0.2 }),
];

/** What decides whether a row is listed, computed from all rows. */
function listedIds(account: Account, kind: 'partners' | 'links', isListed: (row: Row, archived: boolean) => boolean) {
  const archivedIds = new Set(
    [...account.programs, ...account.partners].filter((row) => row.archived_at !== null).map(({ id }) => id),
  );
  return account[kind]
    .filter((row) => {
      const owners = [row.program_id, ...(kind === 'links' ? [row.partner_id] : [])];
      const isArchived = row.archived_at !== null || owners.some((owner) => archivedIds.has(String(owner)));
      return row.deleted_at === null && isListed(row, isArchived);
    })
    .map(({ id }) => id)
    .sort()
    .reverse();
}

const PERIODS = [
  { from: null, to: null },
  { from: FIRST_AT + 1_000 * HOUR_MS, to: FIRST_AT + 6_000 * HOUR_MS },
];

/** Each program of some, each state, and each search. */
const COMBINATIONS = ACCOUNTS.flatMap((account, index) => {
  const foreign = ACCOUNTS[1 - index]?.programs[0]?.id ?? '';
  return [null, ...account.programs.slice(0, 4).map(({ id }) => id), foreign].flatMap((programId) =>
    (['no', 'yes', null] as const).flatMap((archived) =>
      [null, ...SEARCHES].map((search) => ({ account, filters: { programId, archived, search } })),
    ),
  );
});

interface Filters {
  programId: string | null;
  archived: 'no' | 'yes' | null;
  search: string | null;
}

function matches(row: Row, isArchived: boolean, { programId, archived, search }: Filters): boolean {
  const texts = 'key' in row ? [row.key] : [row.name, row.email];
  const start = search?.toUpperCase() ?? '';
  return (
    (programId === null || row.program_id === programId) &&
    (archived === null || isArchived === (archived === 'yes')) &&
    texts.some((text) => String(text).toUpperCase().startsWith(start))
  );
}

describe.each(engines)('lists of many partners and links on %s', (engine) => {
  let filled: TestDatabase;
  let service: Service;

  beforeAll(async () => {
    filled = await createTestDatabase(engine);
    service = createTestService({ database: filled.database });
    for (const { id, programs, partners, links } of ACCOUNTS) {
      await filled.database.write(async (tx) => {
        await tx.run("INSERT INTO accounts (id, name, created_at) VALUES (@id, 'Example Ltd', 1)", { id });
        await insertAll(tx, 'programs', programs);
        await insertAll(tx, 'partners', partners);
        await insertAll(tx, 'links', links);
      });
    }
  });
  afterAll(() => filled.remove());

  /** Compares the first pages with all ids that they should have, newest first. */
  async function expectPages(
    expected: readonly string[],
    list: (cursor: string) => Promise<{ data: { id: string }[]; nextCursor: string | null }>,
  ) {
    const found: string[] = [];
    let cursor: string | null = `${expected[0]?.slice(0, 3) ?? 'ptr'}_z`;
    for (let page = 0; page < PAGES_COMPARED && cursor !== null; page += 1) {
      const answer = await list(cursor);
      found.push(...answer.data.map(({ id }) => id));
      cursor = answer.nextCursor;
    }
    expect(found).toEqual(expected.slice(0, PAGES_COMPARED * LIMIT));
    expect(cursor === null).toBe(expected.length <= PAGES_COMPARED * LIMIT);
  }

  it('a page of partners has what a filter over all partners leaves', async () => {
    for (const { account, filters } of someOf(COMBINATIONS)) {
      const { from, to } = oneOf(PERIODS);
      const isIn = ({ created_at: at }: Row) =>
        Number(at) >= (from ?? 0) && Number(at) < (to ?? Number.MAX_SAFE_INTEGER);
      const expected = listedIds(
        account,
        'partners',
        (row, isArchived) => isIn(row) && matches(row, isArchived, filters),
      );
      const query = { ...filters, email: null, tenantId: null, from, to, limit: LIMIT };
      await expectPages(expected, (cursor) => listPartners(service, account.id, { ...query, cursor }));
    }
  });

  it('a page of links has what a filter over all links leaves', async () => {
    for (const { account, filters } of someOf(COMBINATIONS)) {
      const search =
        filters.search === null
          ? null
          : filters.search.replace(/^[a-z]/i, `${account.programs.length === 4 ? 1 : 2}$&`);
      const sought = { ...filters, search };
      const expected = listedIds(account, 'links', (row, isArchived) => matches(row, isArchived, sought));
      const query = { ...sought, partnerId: null, tenantId: null, from: null, to: null, limit: LIMIT };
      await expectPages(expected, (cursor) => listLinks(service, account.id, { ...query, cursor }));
    }
  });
});
