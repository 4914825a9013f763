import type { Command } from 'commander';
import { SOURCE_FORMS } from '../../exchange/sources/forms.ts';
import { addCsvImport } from '../import/csv.ts';
import { addRefbridgeImport } from '../import/refbridge.ts';
import { addSourceImport } from '../import/source.ts';

/** `import <source>`: a subcommand for each source. */
export function addImportCommand(program: Command): void {
  const command = program
    .command('import')
    .description('import an account from an export or another service, or parts of it from CSV files');
  addRefbridgeImport(command);
  addCsvImport(command);
  for (const form of Object.values(SOURCE_FORMS)) addSourceImport(command, form);
}
