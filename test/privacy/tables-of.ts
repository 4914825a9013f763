import type { Database } from '../../src/storage/database.ts';

/** The columns of every table of the schema, by table. */
export async function tablesOf(database: Database): Promise<Map<string, string[]>> {
  const sql =
    database.engine === 'sqlite'
      ? `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`
      : `SELECT table_name AS "table", column_name AS "column" FROM information_schema.columns
         WHERE table_schema = current_schema()`;
  const rows = await database.read((tx) => tx.all<{ table: string; column: string }>(sql));
  const tables = new Map<string, string[]>();
  for (const { table, column } of rows) tables.set(table, [...(tables.get(table) ?? []), column].sort());
  return tables;
}
