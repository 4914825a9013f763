import type { Command } from 'commander';
import type { AccountApi } from '../api/account-api.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { note, printResource } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';
import { addDeleteCommand } from './resource-commands.ts';

interface ArchivedSubject {
  /** `link`, as texts call it. */
  what: string;
  /** `<id|key|link>`: how a command line names one. */
  named: string;
  /** What archiving one means; completes `archive a link: `. */
  meaning: string;
  /** What must not exist for one to be deleted. */
  deletable: string;
  operations: {
    archive: 'archiveLink' | 'archivePartner' | 'archiveProgram';
    unarchive: 'unarchiveLink' | 'unarchivePartner' | 'unarchiveProgram';
    remove: 'deleteLink' | 'deletePartner' | 'deleteProgram';
  };
  resolve: (api: AccountApi, text: string) => Promise<string>;
}

/** Adds `archive`, `unarchive` and `delete` of one resource. */
export function addArchiveCommands(parent: Command, subject: ArchivedSubject): void {
  const { what, named, meaning, deletable, operations, resolve } = subject;
  for (const [name, description] of [
    ['archive', `archive a ${what}: ${meaning}`],
    ['unarchive', `restore an archived ${what}`],
  ] as const) {
    const command = apiCommand(parent, `${name} ${named}`).description(description);
    command.action(async (given: string, { json }: AccountOptions) => {
      const work = async (api: AccountApi) =>
        api.call(operations[name], { parameters: { id: await resolve(api, given) } });
      const changed = await withApi(command, work, [given]);
      if (json) printResource(changed, json);
      else note(name === 'archive' ? `${changed.id} is archived.` : `${changed.id} is restored.`);
    });
  }

  addDeleteCommand(parent, operations.remove, {
    name: `delete ${named}`,
    describe: `delete a ${what} ${deletable}`,
    resolve,
  });
}
