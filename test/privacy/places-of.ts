import type { Database } from '../../src/storage/database.ts';
import { tablesOf } from './tables-of.ts';

/** Every place in the database that contains a text, as `table.column: value`; bodies are read as text. */
export async function placesOf(database: Database, text: string): Promise<string[]> {
  const places: string[] = [];
  for (const table of (await tablesOf(database)).keys()) {
    const rows = await database.read((tx) => tx.all<Record<string, unknown>>(`SELECT * FROM ${table}`));
    for (const [column, value] of rows.flatMap((row) => Object.entries(row))) {
      const shown = value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : String(value);
      if (shown.includes(text)) places.push(`${table}.${column}: ${shown.slice(0, 200)}`);
    }
  }
  return places;
}
