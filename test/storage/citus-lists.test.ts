import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestApp, type TestApp } from '../helpers/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp('sqlite');
});
afterAll(() => app.close());

interface Key {
  isPrimary: boolean;
  columns: string[];
}

async function tablesOf(): Promise<Map<string, { columns: string[]; keys: Key[] }>> {
  return app.service.database.read(async (tx) => {
    const namesIn = async (sql: string, name: string) =>
      (await tx.all<{ name: string }>(sql, { name })).map((row) => row.name);
    const tables = await namesIn(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE @name`,
      'sqlite_%',
    );
    const described = tables.map(async (table) => {
      const indexes = await tx.all<{ name: string; origin: string }>(
        'SELECT name, origin FROM pragma_index_list(@name) WHERE "unique" = 1',
        { name: table },
      );
      const keys = indexes.map(async ({ name, origin }) => ({
        isPrimary: origin === 'pk',
        columns: await namesIn('SELECT name FROM pragma_index_info(@name)', name),
      }));
      const columns = await namesIn('SELECT name FROM pragma_table_info(@name)', table);
      return [table, { columns, keys: await Promise.all(keys) }] as const;
    });
    return new Map(await Promise.all(described));
  });
}

/** The tables in the item of docs/scale.md that begins with these words. */
function listed(beginning: string): string[] {
  const page = readFileSync(new URL('../../docs/scale.md', import.meta.url), 'utf8');
  const item = page.slice(page.indexOf(`* *${beginning}`)).slice(1);
  const list = item.slice(item.indexOf(':')).split(/\.\s/)[0] ?? '';
  return [...list.matchAll(/`(\w+)`/g)].map(([, name = '']) => name).sort();
}

it('the page about scale lists every table by what Citus would need to distribute it', async () => {
  const tables = await tablesOf();
  const namesWhere = (test: (columns: string[], keys: Key[]) => boolean) =>
    [...tables]
      .filter(([, { columns, keys }]) => test(columns, keys))
      .map(([name]) => name)
      .sort();
  const hasAccount = (columns: string[]) => columns.includes('account_id');
  const isReady = (columns: string[], keys: Key[]) =>
    hasAccount(columns) && keys.some((key) => key.isPrimary && hasAccount(key.columns));
  expect(listed('Ready*')).toEqual(namesWhere(isReady));
  expect(listed('Have the column')).toEqual(
    namesWhere((columns, keys) => hasAccount(columns) && !isReady(columns, keys)),
  );
  const others = [...listed('Have no account column'), ...listed('Belong to no account')];
  expect(others.sort()).toEqual(namesWhere((columns) => !hasAccount(columns)));
});
