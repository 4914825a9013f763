import type { Command } from 'commander';
import { formatMoney } from '../../core/money.ts';
import { getSale } from '../../payments/list-sales.ts';
import { attributeByHand, listParkedPayments } from '../../payments/parked-payments.ts';
import { attributeInput, type ParkedResource, parkedListQuery } from '../../payments/parked-schemas.ts';
import { parseInput } from '../../schema/parse.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { note, printJson } from '../terminal/output.ts';
import { type AccountOptions, accountCommand, withAccountOf } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

interface AttributeOptions extends AccountOptions {
  customer?: string;
  click?: string;
  partner?: string;
}

export function addParkedCommand(program: Command): void {
  const parked = program.command('parked').description('payments of unknown customers');

  addListCommand<ParkedResource>(parked, {
    describe: 'list payments that wait for their lead, newest first',
    list: (service, accountId, query) => listParkedPayments(service, accountId, parseInput(parkedListQuery, query)),
    columns: {
      id: ({ id }) => id,
      processor: ({ processor }) => processor,
      invoice: ({ invoiceId }) => invoiceId,
      amount: ({ amount, currency }) => formatMoney(amount, currency),
      'names customer': ({ customer }) => customer.externalIds[0] ?? null,
      email: ({ customer }) => customer.email,
      expires: ({ expiresAt }) => expiresAt,
      tried: ({ steps }) => steps.map(({ step, value }) => `${step} ${value}`).join(', ') || 'names nobody',
    },
  });

  accountCommand(parked, 'attribute <id>')
    .description('attribute a parked payment by hand')
    .option('--customer <customerExternalId>', 'the partner of this customer earns it (your own customer id)')
    .option('--click <id>', 'the partner of this click earns it')
    .option('--partner <id>', 'this partner earns it')
    .addHelpText('after', '\nExample:\n  $ refbridge parked attribute pmt_… --customer user_1042')
    .action(async (id: string, { customer: customerExternalId, click: clickId, ...options }: AttributeOptions) => {
      const body = { customerExternalId, clickId, partnerId: options.partner };
      if (Object.values(body).filter((value) => value !== undefined).length !== 1) {
        const targets = '--customer <customerExternalId>, --click <id> and --partner <id>';
        throw new CommandError(EXIT.usage, `Give exactly one of ${targets}`);
      }
      const sale = await withAccountOf(options, async (service, accountId) => {
        const { saleId } = await attributeByHand(service, accountId, id, parseInput(attributeInput, body));
        return getSale(service, accountId, saleId);
      });
      if (options.json) printJson(sale);
      else
        note(`It is now sale ${sale.id}: ${formatMoney(sale.commissionAmount, sale.currency)} for ${sale.partnerId}.`);
    });
}
