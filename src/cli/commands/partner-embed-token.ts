import type { Command } from 'commander';
import type { AccountApi } from '../api/account-api.ts';
import { partnerIdOf, programIdOf } from '../api/names.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { readWholeNumber } from '../terminal/arguments.ts';
import { note, print, printJson } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';

interface EmbedTokenOptions extends AccountOptions {
  program?: string;
  expiresIn?: number;
}

/** `partners embed-token`. */
export function addEmbedTokenCommand(partners: Command): void {
  const command = apiCommand(partners, 'embed-token <id|email>')
    .description("issue a token for a partner's portal, to try what your backend will do")
    .option('--program <id|name>', 'the program; required only if there are several')
    .option('--expires-in <seconds>', 'how long it works (default: 3600)', readWholeNumber)
    .addHelpText('after', '\nExample:\n  $ refbridge partners embed-token ana@example.com --expires-in 600');
  command.action(async (given: string, { program, expiresIn, json }: EmbedTokenOptions) => {
    const work = async (api: AccountApi) => {
      const enrollmentId = await partnerIdOf(api, given);
      const programId = program === undefined ? undefined : await programIdOf(api, program);
      return api.call('createEmbedToken', { body: { enrollmentId, programId, expiresIn } });
    };
    const token = await withApi(command, work, [given]);
    if (json) return printJson(token);
    print(token.publicToken);
    note(`It works until ${token.expires}.`);
  });
}
