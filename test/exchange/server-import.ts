import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, CallOptions } from '../helpers/app.ts';

type Call = (method: string, path: string, options?: CallOptions) => Promise<Answer>;

/** How long an import may make no progress. */
const PATIENCE_MS = 150_000;
/** The pause between two looks, which doubles: most imports take milliseconds, some wait for a lease to expire. */
const LOOK_MS = { first: 10, max: 160 };

/** The answer of an import as soon as `isEnough` accepts it; by default, when the import has ended. */
export async function waitForImport(
  call: Call,
  id: string,
  isEnough = ({ endedAt }: { endedAt: string | null }): boolean => endedAt !== null,
): Promise<Answer['body']> {
  let until = Date.now() + PATIENCE_MS;
  let rows: number | undefined;
  for (let pauseMs = LOOK_MS.first; ; pauseMs = Math.min(2 * pauseMs, LOOK_MS.max)) {
    const { body } = await call('GET', `/api/imports/${id}`);
    if (isEnough(body)) return body;
    if (body.progress?.rows !== rows) {
      rows = body.progress?.rows;
      until = Date.now() + PATIENCE_MS;
    }
    if (Date.now() > until) throw new Error(`The import has not come so far: ${JSON.stringify(body)}`);
    await sleep(pauseMs);
  }
}

export interface FileImport {
  kind: string;
  text: string | Buffer;
  dryRun?: boolean;
  settings?: object;
  /** In bytes. */
  partSize?: number;
}

/** Creates an import of a CSV file and sends the file; returns its id. */
export async function sendFile(
  call: Call,
  { kind, text, dryRun = false, settings = {}, partSize = 2 * 1024 * 1024 }: FileImport,
): Promise<string> {
  const bytes = Buffer.from(text);
  const body = { source: 'csv', dryRun, settings: { kind, fileBytes: bytes.length, ...settings } };
  const created = await call('POST', '/api/imports', { body });
  if (created.status !== 202) throw new Error(created.text);
  const { id } = created.body;
  for (let start = 0, part = 1; start < bytes.length; start += partSize, part += 1) {
    const slice = bytes.subarray(start, start + partSize);
    const headers = { 'content-type': 'text/csv' };
    const sent = await call('PUT', `/api/imports/${id}/file?part=${part}`, { body: slice, headers });
    if (sent.status !== 200) throw new Error(sent.text);
  }
  return id;
}

/** Imports a CSV file and waits for the end. */
export async function importFile(call: Call, file: FileImport): Promise<Answer['body']> {
  return waitForImport(call, await sendFile(call, file));
}
