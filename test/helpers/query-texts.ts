import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DELIVERY_STATUSES } from '../../src/core/delivery.ts';
import { ENTRY_KINDS } from '../../src/core/ledger.ts';
import { PAYOUT_STATUSES } from '../../src/core/payout.ts';
import { SALE_STATUSES } from '../../src/core/sale.ts';
import { SOURCES } from '../../src/storage/conditions/sources.ts';
import type { Transaction } from '../../src/storage/database.ts';

const SOURCE = join(import.meta.dirname, '../../src');

/** One SQL text, and the function that sends it: `payments.findLeads(partnerId)` for a list with this filter. */
export interface QueryText {
  query: string;
  sql: string;
}

export interface QueryTexts {
  /** Files of `src/`, such as `payments/queries/leads.ts`. */
  files: string[];
  texts: QueryText[];
  /** Places that send SQL, as `file:line`, but that no call reached. */
  unreached: string[];
}

type Query = (tx: Transaction, ...rest: unknown[]) => unknown;

/** By room and filter: the texts of these lists depend on the filter's value. */
const VALUES: Readonly<Record<string, FilterValues>> = {
  payments: { status: SALE_STATUSES },
  inbox: { status: DELIVERY_STATUSES },
  payouts: { status: PAYOUT_STATUSES },
  ledger: { kind: ENTRY_KINDS },
  programs: { source: SOURCES.filter((source) => source !== 'of archived partners') },
  links: { source: SOURCES },
};

type FilterValues = Readonly<Record<string, readonly string[]>>;

const anything = {
  accountId: 'a',
  limit: 1,
  beforeId: 'x',
  afterId: 'x',
  afterValue: 'x',
  from: 1,
  kind: 'customer',
  value: 'v',
  references: ['c'],
  keys: [],
  discountCodes: ['d'],
  portal: { allowedOrigins: ['o'] },
  parked: null,
  fact: {},
  after: { dueAt: 1, entryId: 'e' },
  to: { dueAt: 2, entryId: 'e' },
  createdAt: 1,
  currencies: ['c'],
  ranges: [],
  range: { from: 'f', to: 't' },
};

const ARGUMENTS = [
  [anything, anything, anything, anything],
  [anything, { ...anything, to: 2 }],
  [
    { ...anything, to: 2 },
    { ...anything, to: 2 },
    { ...anything, to: 2 },
  ],
  [anything, { ...anything, references: ['c', 'd'] }],
  [[anything], [anything], [anything]],
  [anything, [anything], anything],
  [anything, { ...anything, from: null, to: null }],
  [anything, { ...anything, from: 1, to: 9_000_001 }],
  ['a', 'b', anything, 'd', anything],
  ['a', 'b', ['c'], 'd'],
  ['a', 'b', { linkId: 'l' }, anything],
  ['a', 'b', { partnerId: 'p' }, anything],
  ['a', [{ kind: 'external', value: 'v' }], 'c'],
  ['a', { kind: 'external', values: ['v', 'w'] }, anything],
  ['a', { kind: 'external', values: ['v'] }, anything],
];

/** Every SQL text of the modules in `queries/`, found by calling each of their functions with dummy values. */
export async function findQueryTexts(): Promise<QueryTexts> {
  const files = globSync('*/queries/*.ts', { cwd: SOURCE }).sort();
  const texts = new Map<string, QueryText>();
  const reached = new Set<string>();
  for (const file of files) {
    const [room = ''] = file.split('/');
    const module: Record<string, unknown> = await import(join(SOURCE, file));
    for (const [name, send] of queriesOf(module)) {
      for (const { variant, rest } of callsOf(send, VALUES[room])) {
        const note = (sql: string) => {
          const query = `${room}.${name}`;
          texts.set(`${query} ${sql}`, texts.get(`${query} ${sql}`) ?? { query: `${query}${variant}`, sql });
          for (const [, place] of (new Error().stack ?? '').matchAll(/src\/(\w+\/queries\/[\w-]+\.ts:\d+)/g)) {
            reached.add(String(place));
          }
        };
        await callWithEachResult(send, note, rest);
      }
    }
  }
  const unreached = files.flatMap(placesThatSendSql).filter((place) => !reached.has(place));
  return { files, texts: [...texts.values()], unreached };
}

/** The exported functions, including those in an exported record: `rowsOf.clicks`. */
function queriesOf(module: Record<string, unknown>): [name: string, query: Query][] {
  return Object.entries(module).flatMap(([name, exported]): [string, Query][] => {
    if (typeof exported === 'function') return [[name, exported as Query]];
    if (typeof exported !== 'object' || exported === null) return [];
    return Object.entries(exported)
      .filter(([, member]) => typeof member === 'function')
      .map(([member, query]) => [`${name}.${member}`, query]);
  });
}

/** A list is called with each combination of its filters. */
function callsOf(query: Query, values: FilterValues = {}): { variant: string; rest: unknown[] }[] {
  if (!/^(async )?function \w+\(\s*tx\s*,\s*accountId\s*,\s*filters\b/.test(String(query))) {
    return ARGUMENTS.map((rest) => ({ variant: '', rest }));
  }
  const names = new Set<string>();
  const asked = new Proxy<Record<string, null>>(
    {},
    {
      get(_, name) {
        names.add(String(name));
        return null;
      },
    },
  );
  void query({ all: async () => [] } as unknown as Transaction, 'a', asked, anything);
  return combinationsOf([...names], values).map((filters) => {
    const set = Object.entries(filters).map(([name, value]) => (value === 'x' ? name : `${name}=${value}`));
    const variant = set.length === 0 ? '' : `(${set.join(', ')})`;
    return { variant, rest: ['a', filters, { ...anything, now: 1 }] };
  });
}

function combinationsOf([name, ...others]: string[], values: FilterValues): Record<string, string>[] {
  if (name === undefined) return [{}];
  const rest = combinationsOf(others, values);
  return [
    ...rest,
    ...(values[name] ?? ['x']).flatMap((value) => rest.map((filters) => ({ [name]: value, ...filters }))),
  ];
}

/** Only the SQL matters, not what the function does with the results. */
async function callWithEachResult(query: Query, note: (sql: string) => void, rest: unknown[]): Promise<void> {
  for (const row of [undefined, { ...anything, id: 'i', settings: '{}', lines: '[]' }]) {
    const answer = (result: unknown) => async (sql: string) => {
      note(sql);
      return result;
    };
    const isFound = row !== undefined;
    const answers = { get: answer(row), all: answer(isFound ? [row] : []), run: answer(isFound ? 1 : 0) };
    const tx = { ...answers, claim: async () => {} } as unknown as Transaction;
    try {
      await query(tx, ...rest);
    } catch {}
  }
}

/** Lines that call a transaction, or a function created by `manyRows`. */
function placesThatSendSql(file: string): string[] {
  const source = readFileSync(join(SOURCE, file), 'utf8');
  const ofRows = [...source.matchAll(/const (\w+) = manyRows\(/g)].map(([, name]) => `\\b${name}\\(`);
  const sends = new RegExp(['\\btx\\.(?:get|all|run)\\b', ...ofRows].join('|'));
  return source.split('\n').flatMap((line, index) => (sends.test(line) ? [`${file}:${index + 1}`] : []));
}
