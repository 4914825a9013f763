import type { Command } from 'commander';
import type { TraceStep } from '../../client/api-types.ts';
import { formatMoney } from '../../core/money.ts';
import type { AccountApi } from '../api/account-api.ts';
import { partnerIdOf } from '../api/names.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { note, printJson } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';
import { addListCommand } from './list-command.ts';
import { addShowCommand } from './resource-commands.ts';

/** An erasure leaves the step without what was looked for. */
function stepText({ step, value }: TraceStep): string {
  return value === null ? `${step} (erased)` : `${step} ${value}`;
}

interface AttributeOptions extends AccountOptions {
  customer?: string;
  click?: string;
  partner?: string;
}

export function addParkedCommand(program: Command): void {
  const parked = program.command('parked').description('payments of unknown customers');

  addListCommand(parked, 'listParkedPayments', {
    describe: 'list payments that no partner has earned yet, newest first',
    columns: {
      id: ({ id }) => id,
      processor: ({ processor }) => processor,
      invoice: ({ invoiceId }) => invoiceId,
      amount: ({ amount, currency }) => ({ amount, currency }),
      'names customer': ({ customer }) => customer.externalIds[0] ?? null,
      email: ({ customer }) => customer.email,
      expires: ({ expiresAt }) => expiresAt,
      tried: ({ steps }) => steps.map(stepText).join(', ') || 'names nobody',
    },
  });

  addShowCommand(parked, 'getParkedPayment', {
    name: 'show <id>',
    describe: 'show a parked payment, and where its customer was looked for',
  });

  const attribute = apiCommand(parked, 'attribute <id>')
    .description('attribute a parked payment by hand')
    .option('--customer <customerExternalId>', 'the partner of this customer earns it (your own customer id)')
    .option('--click <id>', 'the partner of this click earns it')
    .option('--partner <id|email>', 'this partner earns it')
    .addHelpText('after', '\nExample:\n  $ refbridge parked attribute pmt_… --customer user_1042');
  attribute.action(async (id: string, { customer, click, partner, json }: AttributeOptions) => {
    if ([customer, click, partner].filter((value) => value !== undefined).length !== 1) {
      const targets = '--customer <customerExternalId>, --click <id> and --partner <id>';
      throw new CommandError(EXIT.usage, `Give exactly one of ${targets}`);
    }
    const work = async (api: AccountApi) => {
      const partnerId = partner === undefined ? undefined : await partnerIdOf(api, partner);
      const body = { customerExternalId: customer, clickId: click, partnerId };
      return api.call('attributeParkedPayment', { parameters: { id }, body });
    };
    const sale = await withApi(attribute, work, [id]);
    if (json) printJson(sale);
    else
      note(`It is now sale ${sale.id}: ${formatMoney(sale.commissionAmount, sale.currency)} for ${sale.partnerName}.`);
  });
}
