import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import packageJson from '../../../package.json' with { type: 'json' };
import type { AccountApi } from '../api/account-api.ts';
import { apiCommand, connectionOf, withApi } from '../connection/with-api.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { interruptible } from '../terminal/interruption.ts';
import { createNewFile } from '../terminal/new-file.ts';
import { hint, print, printJson } from '../terminal/output.ts';
import { yieldToOthers } from '../terminal/priority.ts';
import { createProgress, formatCount } from '../terminal/progress.ts';
import { type AccountOptions, withAccount } from '../with-service.ts';

const MORE = `
The folder gets a JSON-lines file for each table, CSV files for people (partners, links, sales, ledger, payouts), and
manifest.json with counts and checksums. It is a consistent snapshot; a server may keep running. Only you can read the
files: they hold e-mail addresses, hashes of keys, and secrets and payout details that SECRET_KEY (or secret.key) decrypts.

With --url, the server sends the same files as one zip file, without passwords, sessions and sign-in codes.

Examples:
  $ refbridge export ./export-2026-11-22
  $ refbridge export ./export-2026-11-22.zip --url https://refer.example.com
  $ DATABASE_URL=postgres://… refbridge import refbridge ./export-2026-11-22`;

export function addExportCommand(program: Command): void {
  const command = apiCommand(program, 'export <folder>')
    .description('write everything in an account to a new folder, to keep it or to import it elsewhere')
    .addHelpText('after', MORE);
  command.action(async (given: string, options: AccountOptions) => {
    const path = resolve(given);
    if (connectionOf(command).kind === 'local') await exportHere(path, options);
    else await withApi(command, (api) => exportThere(api, path, options));
  });
}

async function exportHere(folder: string, options: AccountOptions): Promise<void> {
  const { exportAccount } = await import('../../exchange/export-account.ts');
  yieldToOthers();
  const progress = createProgress(options);
  const sentence = `Stopped: ${folder} has no manifest, so it is not a complete export. Delete it.`;
  const manifest = await interruptible({ sentence, cleanUp: progress.clear }, () =>
    withAccount(options, (service, accountId) =>
      exportAccount(service, accountId, {
        folder,
        programVersion: packageJson.version,
        onProgress: (table, rows) => progress.show(`exported ${formatCount(rows)} rows (${table})`),
      }).catch((error: unknown) => {
        progress.clear();
        if (!(error instanceof Error && 'syscall' in error)) throw error;
        const advice = existsSync(folder) ? 'Delete it: it is incomplete.' : 'Name another folder.';
        throw new CommandError(EXIT.unexpected, `${folder} cannot be written: ${error.message}. ${advice}`, error);
      }),
    ),
  );
  progress.clear();
  if (options.json) printJson({ folder, ...manifest });
  else {
    print(folder);
    hint(
      `Exported ${formatCount(manifest.rows)} rows of ${manifest.account.name}. Keep SECRET_KEY (or secret.key) too: ` +
        'it decrypts the exported secrets and payout details.',
    );
  }
}

/** Stores the same files as a zip. An incomplete file is deleted, because it cannot be opened. */
async function exportThere(api: AccountApi, file: string, options: AccountOptions): Promise<void> {
  if (!file.endsWith('.zip')) {
    throw new CommandError(EXIT.usage, `A server sends one zip file: name it ${file}.zip, for example.`);
  }
  const { handle, discard } = await createNewFile(file);
  const progress = createProgress(options);
  try {
    const parameters = { id: (await api.call('createExport', { body: {} })).id };
    await interruptible({ sentence: 'Stopped: the incomplete file was deleted.', cleanUp: discard }, async () => {
      let bytes = 0;
      for await (const chunk of api.download('downloadExport', { parameters })) {
        await handle.write(Buffer.from(chunk));
        bytes += chunk.length;
        progress.show(`received ${formatCount(bytes)} bytes`);
      }
    });
    await handle.sync();
    progress.clear();
    const exported = await api.call('getExport', { parameters });
    if (options.json) printJson({ file, ...exported });
    else {
      print(file);
      hint(
        `Exported ${formatCount(exported.rows ?? 0)} rows. Unpack it to import it elsewhere, with the SECRET_KEY of the server.`,
      );
    }
  } catch (error) {
    progress.clear();
    discard();
    throw error;
  } finally {
    await handle.close();
  }
}
