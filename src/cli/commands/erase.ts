import type { Command } from 'commander';
import type { AccountApi } from '../api/account-api.ts';
import { isId } from '../api/names.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { note, printJson } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';

interface EraseOptions extends AccountOptions {
  yes?: true;
}

/** A partner by our id, or a customer. */
const isPartner = (id: string) => isId(id, 'ptr');
/** What identifies the account: never an id of the caller's, whatever it looks like. */
const ownId = (id: string) => (isPartner(id) ? id : undefined);

const EXAMPLES = `
Ids, amounts and commissions stay. Later reports about an erased customer are attributed as before, but what they say
about the person is not stored.

Examples:
  $ refbridge personal-data user_1042 > user_1042.json
  $ refbridge erase user_1042 --yes
  $ refbridge erase ptr_… --yes`;

/** `personal-data` and `erase`. */
export function addEraseCommand(program: Command): void {
  const disclose = apiCommand(program, 'personal-data <id>').description(
    'print everything that is stored about a customer (your own id, cus_… or e-mail address) or a partner (ptr_…), as JSON',
  );
  disclose.action(async (id: string) => {
    const work = async (api: AccountApi): Promise<unknown> =>
      isPartner(id)
        ? api.call('getPartnerPersonalData', { parameters: { id } })
        : api.call('getCustomerPersonalData', { parameters: { externalId: id } });
    printJson(await withApi(disclose, work, [ownId(id)]));
  });

  const erase = apiCommand(program, 'erase <id>')
    .description(
      'erase what identifies a customer (your own id, cus_… or e-mail address) or a partner (ptr_…), for good',
    )
    .option('--yes', 'confirm the erasure, which cannot be undone')
    .addHelpText('after', EXAMPLES);
  erase.action(async (id: string, options: EraseOptions) => {
    if (!options.yes) {
      const look = `refbridge personal-data ${id}`;
      throw new CommandError(EXIT.usage, `Nothing was erased. Review the data with \`${look}\`, then add --yes.`);
    }
    const deletedBodies = await withApi(erase, (api) => erasePerson(api, id), [ownId(id)]);
    if (options.json) printJson({ id, deletedBodies });
    else if (deletedBodies === null) note(`Erased ${id}. The server also erases stored webhooks that mentioned them.`);
    else note(`Erased ${id}, and ${deletedBodies} further stored webhooks that mentioned them.`);
  });
}

/** Returns how many stored bodies were also deleted; null from a server, which continues that work itself. */
async function erasePerson(api: AccountApi, id: string): Promise<number | null> {
  if (isPartner(id)) {
    await api.call('erasePartner', { parameters: { id } });
    await api.finish('erase-from-events');
    return 0;
  }
  await api.call('eraseCustomer', { parameters: { externalId: id } });
  return api.finish('erase');
}
