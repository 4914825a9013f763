import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { parseInput } from '../schema/parse.ts';
import { TABLES } from './tables.ts';

/** Incremented when an older program could not read what a newer one writes. */
export const FORMAT_VERSION = 1;
export const MANIFEST_FILE = 'manifest.json';
/** The folder inside an export. */
export const TABLES_FOLDER = 'tables';

const count = z.number().int().min(0);

const manifestSchema = z.object({
  format: z.literal('refbridge-export'),
  formatVersion: z.number().int(),
  exportId: z.string().min(1).max(100),
  schemaVersion: count,
  programVersion: z.string(),
  exportedAt: z.string(),
  engine: z.enum(['sqlite', 'postgres']),
  account: z.object({ id: z.string().min(1), name: z.string() }),
  rows: count,
  tables: z.array(
    z.object({ name: z.string(), rows: count, bytes: count, sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
  ),
  csv: z.array(z.object({ file: z.string(), rows: count })),
  leftOut: z.record(z.string(), z.string()),
});

/** `manifest.json`: what an export contains. `rows`: in total and for each table; `exportedAt` in ISO 8601. */
export type Manifest = z.infer<typeof manifestSchema>;
export type ExportedTable = Manifest['tables'][number];

export function tableFile(folder: string, table: string): string {
  return join(folder, TABLES_FOLDER, `${table}.jsonl`);
}

/**
 * Reads the manifest of a complete export that this program can import.
 *
 * @throws ServiceError `VALIDATION_ERROR` when there is none, or it has another format or schema; the message says
 *   which
 */
export async function readManifest(folder: string, schemaVersion: number): Promise<Manifest> {
  const manifest = parseInput(manifestSchema, await readJson(folder));
  if (manifest.formatVersion !== FORMAT_VERSION) {
    const { formatVersion, programVersion } = manifest;
    throw refused(
      `The export has format version ${formatVersion} (written by Refbridge ${programVersion}), but this program reads ` +
        `${FORMAT_VERSION}: import it with that release`,
    );
  }
  if (manifest.schemaVersion !== schemaVersion) {
    throw refused(
      `The export has schema version ${manifest.schemaVersion} (written by Refbridge ${manifest.programVersion}), but this ` +
        `database has ${schemaVersion}. Run the same release on both sides: migrate the older one first, then export again`,
    );
  }
  const names = manifest.tables.map(({ name }) => name);
  const expected = TABLES.map(({ name }) => name);
  const missing = expected.filter((name) => !names.includes(name));
  const unknown = names.filter((name) => !expected.includes(name));
  if (missing.length + unknown.length > 0 || names.length !== expected.length) {
    throw refused(
      `The manifest does not list the tables of this release: ${[...missing, ...unknown].join(', ')}. Export again`,
    );
  }
  return manifest;
}

async function readJson(folder: string): Promise<unknown> {
  const path = join(folder, MANIFEST_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw refused(
      `There is no ${path}, so this is not a complete export: name the folder that \`refbridge export\` made, or that its zip was unpacked into`,
      error,
    );
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused(`${path} is not JSON: export again`, error);
  }
}

export function refused(message: string, cause?: unknown): ServiceError {
  return new ServiceError('VALIDATION_ERROR', message, { cause });
}
