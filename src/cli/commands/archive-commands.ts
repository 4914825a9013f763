import type { Command } from 'commander';
import type { AccountApi } from '../api/account-api.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { note, printJson, printResource } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';

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

  const remove = apiCommand(parent, `delete ${named}`).description(`delete a ${what} ${deletable}`);
  remove.action(async (given: string, { json }: AccountOptions) => {
    const work = async (api: AccountApi) => {
      const id = await resolve(api, given);
      await api.call(operations.remove, { parameters: { id } });
      return id;
    };
    const id = await withApi(remove, work, [given]);
    if (json) printJson({ id, deleted: true });
    else note(`${id} is deleted.`);
  });
}
