import type { Command } from 'commander';
import { formatMoney } from '../../core/money.ts';
import type { AccountApi } from '../api/account-api.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { readUnsignedMoney } from '../fields/read.ts';
import type { Money } from '../terminal/cell.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { note, printJson } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';

interface RefundOptions extends AccountOptions {
  sale?: string;
  invoice?: string;
  refundId: string;
  amount: Money;
}

export function addRefundsCommand(program: Command): void {
  const refunds = program.command('refunds').description('refunds of your own checkout; processors report theirs');

  const create = apiCommand(refunds, 'create')
    .description('report a refund; reverses the commission in proportion')
    .option('--invoice <id>', 'the invoice of the sale')
    .option('--sale <id>', 'or the sale')
    .requiredOption('--refund-id <id>', 'your id of the refund; repeating it changes nothing')
    .requiredOption(
      '--amount <money>',
      'what was refunded, in the currency of the sale, such as 12.50EUR',
      readUnsignedMoney,
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ refbridge refunds create --invoice inv_1042 --refund-id re_7 --amount 12.50EUR',
    );
  create.action(async (options: RefundOptions) => {
    if ((options.sale === undefined) === (options.invoice === undefined)) {
      throw new CommandError(EXIT.usage, 'Give exactly one of --invoice <id> and --sale <id>');
    }
    const answer = await withApi(create, (api) => report(api, options), [options.sale]);
    if (options.json) return printJson(answer);
    if ('parkedPayment' in answer) return note('The payment is parked; the refund waits with it.');
    const { id, reversedCommissionAmount, currency } = answer;
    note(`Of sale ${id}, ${formatMoney(reversedCommissionAmount, currency)} of commission are taken back in all.`);
  });
}

async function report(api: AccountApi, { sale, invoice, refundId, amount: { amount, currency } }: RefundOptions) {
  const refund = { refundId, amount, currency };
  if (sale !== undefined) return api.call('reportRefund', { parameters: { id: sale }, body: refund });
  return api.call('reportRefundOfInvoice', { body: { invoiceId: invoice, ...refund } });
}
