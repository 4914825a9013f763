import type { Command } from 'commander';
import type { Payout } from '../../client/api-types.ts';
import { formatMoney } from '../../core/money.ts';
import type { PayoutEnd } from '../../core/payout.ts';
import { ServiceError } from '../../errors.ts';
import type { AccountApi } from '../api/account-api.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { note, print, printJson } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';

const ENDS = { paid: 'markPayoutPaid', failed: 'markPayoutFailed', canceled: 'cancelPayout' } as const;
/** They are about one payout: the others can be ended all the same. */
const OF_ONE_PAYOUT: readonly string[] = ['INVALID_STATE', 'NOT_FOUND'];

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
    const ids = [...new Set(given)];
    const ending = { ids, status, note: text, onEnded: json ? () => {} : printEnded };
    const { data, unchanged, failed, stopped } = await withApi(command, (api) => endPayouts(api, ending), ids);
    if (json) printJson({ data, unchanged, failed });
    else for (const { id } of unchanged) note(`${id} is ${status} already.`);
    for (const { message } of failed) note(message);
    if (failed.length > 0) process.exitCode = EXIT.unexpected;
    if (stopped === null) return;
    note(`Not ${status} yet: ${stopped.ids.join(', ')}. Run the command again for them.`);
    throw stopped.error;
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

interface Ended {
  data: Payout[];
  /** They were in that state before. */
  unchanged: Payout[];
  failed: { id: string; code: string; message: string }[];
  /** What ended the work early, and the payouts that are left. */
  stopped: { error: unknown; ids: string[] } | null;
}

/**
 * Ends payouts, one after the other; one that cannot be ended does not stop the others.
 *
 * @throws ServiceError `NOT_FOUND` when one does not exist; then none was ended
 */
async function endPayouts(api: AccountApi, { ids, status, note: text, onEnded }: Ending): Promise<Ended> {
  const ended: Ended = { data: [], unchanged: [], failed: [], stopped: null };
  const open: string[] = [];
  for (const id of ids) {
    const payout = await api.call('getPayout', { parameters: { id } });
    if (payout.status === status) ended.unchanged.push(payout);
    else open.push(id);
  }
  for (const [index, id] of open.entries()) {
    try {
      const payout = await api.call(ENDS[status], { parameters: { id }, body: { note: text } });
      ended.data.push(payout);
      onEnded(payout);
    } catch (error) {
      if (!(error instanceof ServiceError && OF_ONE_PAYOUT.includes(error.code))) {
        return { ...ended, stopped: { error, ids: open.slice(index) } };
      }
      ended.failed.push({ id, code: error.code, message: error.message });
    }
  }
  await api.finish('settle');
  return ended;
}
