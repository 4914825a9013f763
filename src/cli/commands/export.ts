import { resolve } from 'node:path';
import type { Command } from 'commander';
import packageJson from '../../../package.json' with { type: 'json' };
import { exportAccount } from '../../exchange/export-account.ts';
import { interruptible } from '../terminal/interruption.ts';
import { hint, print, printJson } from '../terminal/output.ts';
import { yieldToOthers } from '../terminal/priority.ts';
import { createProgress, formatCount } from '../terminal/progress.ts';
import { type AccountOptions, accountCommand, withAccount } from '../with-service.ts';

const MORE = `
The folder gets a JSON-lines file for each table, CSV files for people (partners, links, sales, ledger, payouts), and
manifest.json with counts and checksums. All of it is of one moment; a server may go on meanwhile. Only the owner can read
the files: they hold addresses of people, hashes of keys, and webhook secrets that SECRET_KEY (or secret.key) decrypts.

Examples:
  $ refbridge export ./export-2026-11-22
  $ DATABASE_URL=postgres://… refbridge import refbridge ./export-2026-11-22`;

export function addExportCommand(program: Command): void {
  accountCommand(program, 'export <folder>')
    .description('write everything of an account into a new folder, to keep it or to import it elsewhere')
    .addHelpText('after', MORE)
    .action(async (given: string, options: AccountOptions) => {
      yieldToOthers();
      const folder = resolve(given);
      const progress = createProgress(options);
      const sentence = `Stopped: ${folder} has no manifest, so it is no export. Delete it.`;
      const manifest = await interruptible({ sentence, cleanUp: progress.clear }, () =>
        withAccount(options, (service, accountId) =>
          exportAccount(service, accountId, {
            folder,
            programVersion: packageJson.version,
            onProgress: (table, rows) => progress.show(`exported ${formatCount(rows)} rows (${table})`),
          }),
        ),
      );
      progress.clear();
      if (options.json) printJson({ folder, ...manifest });
      else {
        print(folder);
        hint(
          `Exported ${formatCount(manifest.rows)} rows of ${manifest.account.name}. Keep SECRET_KEY (or secret.key) too: ` +
            'it decrypts the webhook secrets in there.',
        );
      }
    });
}
