import type { Command } from 'commander';
import type { SignInLink } from '../../accounts/sign-in-codes.ts';
import { operatorCommand } from '../connection/with-api.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { type AccountOptions, changeAccount } from '../with-service.ts';

interface LoginLinkOptions extends AccountOptions {
  operator?: string;
  name?: string;
  email?: string;
}

export function addLoginLinkCommand(program: Command): void {
  operatorCommand(program, 'login-link')
    .description('print an address that signs you in to the dashboard, once, within 30 minutes')
    .option('--operator <email|id>', 'who signs in; required only if there are several operators')
    .option('--name <name>', 'name of the first owner, if the account has no operator yet', 'Owner')
    .option('--email <email>', 'e-mail address of the first owner')
    .addHelpText(
      'after',
      `
Open the address in a browser. It signs you in for two weeks, longer while you use it. There is no default password; set
your own in the dashboard if you like. If the account has no operator yet, this creates its first owner. Anyone who has the
address can use it, so do not post it anywhere. The server need not run for this command, only for the dashboard.

Examples:
  $ refbridge login-link
  $ refbridge login-link --operator ana@example.com
  $ xdg-open "$(refbridge login-link --json | jq -r .url)"`,
    )
    .action(async ({ operator, name, email, json, ...options }: LoginLinkOptions) => {
      const { createLoginLink } = await import('../../accounts/login-link.ts');
      const { firstOwnerInput } = await import('../../accounts/operator-schemas.ts');
      const { parseInput } = await import('../../schema/parse.ts');
      const firstOwner = parseInput(firstOwnerInput, { name, email });
      const link = await changeAccount(options, {
        action: 'operator.invite',
        work: (service, accountId) => createLoginLink(service, accountId, { operator: operator ?? null, firstOwner }),
      });
      printLink(link, json);
    });
}

function printLink({ url, expires }: SignInLink, json: true | undefined): void {
  if (json) {
    printJson({ url, expires });
    return;
  }
  print(url);
  note(`Open it in a browser. It works once, until ${expires}.`);
}
