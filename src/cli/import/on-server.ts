import { createReadStream } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImportDetail, ImportInput } from '../../client/api-types.ts';
import { ServiceError } from '../../errors.ts';
import type { AccountApi } from '../api/account-api.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { interruptible } from '../terminal/interruption.ts';
import { createProgress, formatCount } from '../terminal/progress.ts';

/** Of one request, which takes seconds on a slow line. */
const PART_BYTES = 1024 * 1024;
const LOOK_EVERY_MS = 2_000;

interface ServerImport {
  input: ImportInput;
  /** The file of a CSV import. */
  path: string | null;
  json?: true | undefined;
}

/**
 * Has a server import, sends it the file, and shows how far it is until it ends.
 *
 * @throws CommandError when it failed or was canceled
 */
export async function importOnServer(api: AccountApi, { input, path, json }: ServerImport): Promise<ImportDetail> {
  const { id } = await api.call('createImport', { body: input });
  const progress = createProgress({ json });
  const sentence =
    path === null ? 'Stopped watching: the server goes on.' : 'Stopped: if the file was sent, the server goes on.';
  const run = await interruptible(
    { sentence: `${sentence} The dashboard shows ${id}, and cancels it.`, cleanUp: progress.clear },
    async () => {
      if (path !== null) await sendFile(api, id, path, (bytes) => progress.show(`sent ${formatCount(bytes)} bytes`));
      for (;;) {
        const { found, pauseMs } = await look(api, id);
        if (found !== null) {
          if (found.endedAt !== null) return found;
          progress.show(
            found.progress === null ? 'waiting for the server' : `${formatCount(found.progress.rows)} rows`,
          );
        }
        await sleep(pauseMs);
      }
    },
  ).finally(progress.clear);
  if (run.status === 'completed') return run;
  throw new CommandError(EXIT.unexpected, run.error ?? `The import ${id} was canceled. What it stored stays.`);
}

/** How far it is, and how long to wait before the next look; null when too many requests have used the key. */
async function look(api: AccountApi, id: string): Promise<{ found: ImportDetail | null; pauseMs: number }> {
  try {
    return { found: await api.call('getImport', { parameters: { id } }), pauseMs: LOOK_EVERY_MS };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'RATE_LIMIT_EXCEEDED') throw error;
    return { found: null, pauseMs: Math.max(LOOK_EVERY_MS, (error.retryAfterSeconds ?? 0) * 1_000) };
  }
}

async function sendFile(api: AccountApi, id: string, path: string, onSent: (bytes: number) => void): Promise<void> {
  let [part, sent] = [0, 0];
  for await (const body of createReadStream(path, { highWaterMark: PART_BYTES })) {
    part += 1;
    await api.call('uploadImportFile', { parameters: { id }, query: { part: String(part) }, body });
    sent += (body as Buffer).length;
    onSent(sent);
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
