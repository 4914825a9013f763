import type { Command } from 'commander';
import type { Payout } from '../../client/api-types.ts';
import { formatMoney } from '../../core/money.ts';
import type { PayoutEnd } from '../../core/payout.ts';
import type { AccountApi } from '../api/account-api.ts';
import { type Changed, changeEach } from '../api/change-each.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { note, print, printJson } from '../terminal/output.ts';
import { outliveReader } from '../terminal/reader.ts';
import { reportFailures } from '../terminal/report-failures.ts';
import type { AccountOptions } from '../with-service.ts';

const ENDS = { paid: 'markPayoutPaid', failed: 'markPayoutFailed', canceled: 'cancelPayout' } as const;

/** `payouts mark-paid`, `payouts mark-failed` and `payouts cancel`. */
export function addEndCommands(payouts: Command): void {
  addEndCommand(payouts, 'mark-paid', 'paid', 'record that the money was sent');
  addEndCommand(
    payouts,
    'mark-failed',
    'failed',
    'record that the money came back; the entries go into the next payout',
  );
  addEndCommand(payouts, 'cancel', 'canceled', 'cancel payouts; their entries go into the next payout');
}

interface EndOptions extends AccountOptions {
  note?: string;
}

function addEndCommand(payouts: Command, name: string, status: PayoutEnd, describe: string): void {
  const command = apiCommand(payouts, `${name} <ids...>`)
    .description(describe)
    .option('--note <text>', "the bank's reference, or a reason")
    .addHelpText(
      'after',
      `
Payouts that are ${status} already are left as they are, so that the command may be repeated. Exit code 1 if a payout
could not be changed: the others were.`,
    );
  command.action(async (given: string[], { note: text, json }: EndOptions) => {
    outliveReader();
    const ids = [...new Set(given)];
    const ending = { ids, status, note: text, onEnded: json ? () => {} : printEnded };
    const { data, unchanged, failed, stopped } = await withApi(command, (api) => endPayouts(api, ending), ids);
    if (json) printJson({ data, unchanged, failed });
    else for (const { id } of unchanged) note(`${id} is ${status} already.`);
    reportFailures({ failed, stopped }, status);
  });
}

function printEnded({ id, amount, currency, status }: Payout): void {
  print(`${id}  ${formatMoney(amount, currency)}  ${status}`);
}

interface Ending {
  ids: readonly string[];
  status: PayoutEnd;
  note: string | undefined;
  /** Called with each payout as soon as it has ended. */
  onEnded(payout: Payout): void;
}

/**
 * Ends payouts, one after the other.
 *
 * @throws ServiceError `NOT_FOUND` when one does not exist; then none was ended
 */
async function endPayouts(
  api: AccountApi,
  { ids, status, note: text, onEnded }: Ending,
): Promise<Changed<Payout> & { unchanged: Payout[] }> {
  const unchanged: Payout[] = [];
  const open: string[] = [];
  for (const id of ids) {
    const payout = await api.call('getPayout', { parameters: { id } });
    if (payout.status === status) unchanged.push(payout);
    else open.push(id);
  }
  const ended = await changeEach(open, async (id) => {
    const payout = await api.call(ENDS[status], { parameters: { id }, body: { note: text } });
    onEnded(payout);
    return payout;
  });
  if (ended.stopped === null) await api.finish('settle');
  return { ...ended, unchanged };
}
