import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TestApp } from '../helpers/app.ts';
import { csvOf } from '../results/shown/read.ts';
import { allOf, minorOf, type Row } from '../results/shown/rows.ts';

/** The files for spreadsheets in an export, each with the list of the same rows. */
const LISTS = {
  partners: 'partners?archived=all',
  links: 'links?archived=all',
  sales: 'sales',
  ledger: 'ledger',
  payouts: 'payouts',
} as const;

const AMOUNT = /(^|_)amount$/;

/** `partner_id` → `partnerId` */
const memberOf = (heading: string) => heading.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Fails if a file has other rows than its list, or shows what the list shows differently. */
export async function comparePeopleFiles(app: TestApp, folder: string): Promise<void> {
  for (const [name, list] of Object.entries(LISTS)) {
    const lines = csvOf(await readFile(join(folder, `${name}.csv`), 'utf8'));
    const rows = new Map((await allOf(app, `/api/${list}`)).map((row) => [row.id as string, row]));
    expect([name, lines.map(({ id }) => id).toSorted()]).toEqual([name, [...rows.keys()].toSorted()]);
    for (const line of lines) {
      const row = rows.get(line.id) as Row;
      const common = Object.keys(line).filter((heading) => memberOf(heading) in row);
      expect(common.length).toBeGreaterThan(5);
      const cell = (heading: string) => {
        return AMOUNT.test(heading) ? String(minorOf(line[heading], line.currency)) : line[heading];
      };
      expect(common.map((heading) => [heading, cell(heading)])).toEqual(
        common.map((heading) => [heading, String(row[memberOf(heading)] ?? '')]),
      );
    }
  }
}
