import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportDetail, ImportInput } from '../../client/api-types.ts';
import { ServiceError } from '../../errors.ts';
import type { AccountApi } from '../api/account-api.ts';
import { retryUnavailable } from '../api/retry-unavailable.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { interruptible } from '../terminal/interruption.ts';
import { createProgress, formatCount, type Progress } from '../terminal/progress.ts';

/** The size of one request, which takes seconds on a slow line. */
const PART_BYTES = 1024 * 1024;
const LOOK_EVERY_MS = 2_000;
interface ServerImport {
  input: ImportInput;
  /** The file of a CSV import. */
  path: string | null;
  json?: true | undefined;
}

/**
 * Creates an import on a server, uploads its file, and shows the progress until the import ends.
 *
 * @throws CommandError when it failed or was canceled
 */
export async function importOnServer(api: AccountApi, { input, path, json }: ServerImport): Promise<ImportDetail> {
  const { id } = await api.call('createImport', { body: input });
  const progress = createProgress({ json });
  const sentence =
    path === null
      ? 'Stopped watching: the server continues.'
      : 'Stopped: if the whole file was sent, the server continues.';
  const run = await interruptible(
    { sentence: `${sentence} The dashboard shows ${id}, and can cancel it.`, cleanUp: progress.clear },
    async () => {
      if (path !== null) await sendFile(api, { id, path, progress });
      for (;;) {
        const found = await retryUnavailable(progress, () => api.call('getImport', { parameters: { id } }));
        if (found.endedAt !== null) return found;
        progress.show(found.progress === null ? 'waiting for the server' : `${formatCount(found.progress.rows)} rows`);
        await sleep(LOOK_EVERY_MS);
      }
    },
  ).finally(progress.clear);
  if (run.status === 'completed') return run;
  throw new CommandError(EXIT.unexpected, run.error ?? `The import ${id} was canceled. What it stored stays.`);
}

interface Upload {
  id: string;
  path: string;
  progress: Progress;
}

async function sendFile(api: AccountApi, { id, path, progress }: Upload): Promise<void> {
  let [part, sent] = [0, 0];
  for await (const body of createReadStream(path, { highWaterMark: PART_BYTES })) {
    part += 1;
    const input = { parameters: { id }, query: { part: String(part) }, body };
    await retryUnavailable(progress, async (attempts) => {
      await api.call('uploadImportFile', input).catch((error: unknown) => {
        // the last part has arrived and only its answer was lost; if something else has ended the upload, the next
        // status request shows it
        if (attempts > 1 && error instanceof ServiceError && error.code === 'INVALID_STATE') return;
        throw error;
      });
    });
    sent += (body as Buffer).length;
    progress.show(`sent ${formatCount(sent)} bytes`);
  }
}

/** Only a command beside the database sees every row. */
export function refuseReport(report: string | undefined): void {
  if (report === undefined) return;
  throw new CommandError(
    EXIT.usage,
    '--report needs the database: run the command beside it, or leave it out and see the first refused rows.',
  );
}
