import type { Command } from 'commander';
import type { PayoutInFull } from '../../client/api-types.ts';
import { formatMoney } from '../../core/money.ts';
import type { AccountApi } from '../api/account-api.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { sumsByCurrency, sumsText } from '../terminal/cell.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { interruptible } from '../terminal/interruption.ts';
import { hint, note, print, printJson } from '../terminal/output.ts';
import { counted, createProgress, type Progress } from '../terminal/progress.ts';
import { outliveReader } from '../terminal/reader.ts';
import { reportFailures } from '../terminal/report-failures.ts';
import { type Chosen, chooseAll, chooseNamed, requireConnected, type Skipped } from '../transfers/choose.ts';
import { type DryRun, dryRunOf } from '../transfers/dry-run.ts';
import { type Sent, sendPayouts } from '../transfers/send.ts';
import type { AccountOptions } from '../with-service.ts';
import { tableOf } from './list-command.ts';

interface Options extends AccountOptions {
  all?: true;
  dryRun?: true;
  wait: boolean;
}

/** `payouts send`. */
export function addSendCommand(payouts: Command): void {
  const command = apiCommand(payouts, 'send [ids...]')
    .description("send payouts by transfers to the partners' accounts at Stripe, and wait until they are paid")
    .option('--all', 'every payout that is processing, in no payout file, and whose partner is paid by Stripe')
    .option('--dry-run', 'only show what would be sent; nothing is ordered')
    .option('--no-wait', 'only order them; a running server sends them')
    .addHelpText(
      'after',
      `
Connect Stripe first, \`refbridge rails connect stripe\`, and have each partner sign up there, \`refbridge partners
onboarding-link\`. Every payout is paid once, however often it is ordered: a payment of which nobody knows whether it was
made is repeated under the same key, for hours if need be, and then looked for. If that finds nothing either, the payout
is held: look at Stripe for the transfer group payout_<id>, then use \`payouts mark-paid\` or \`payouts mark-failed\`. For
a payout that is held, \`payouts send <id>\` looks at Stripe again.

Without a server, the command does the work itself. When it is stopped, a running server or the same command continues;
a transfer that was under way then waits for up to two minutes.

Exit code 1 if a payout failed, is held or could not be sent: the others were sent.

Examples, at the end of a month:
  $ refbridge payouts run
  $ refbridge payouts send --all --dry-run
  $ refbridge payouts send --all
  $ refbridge payouts send pay_…`,
    );
  command.action(async (ids: string[], options: Options) => {
    if (options.all ? ids.length > 0 : ids.length === 0) {
      throw new CommandError(EXIT.usage, 'Name the payouts to be sent, or give --all.');
    }
    outliveReader();
    const progress = createProgress(options);
    await withApi(command, (api) => runSend(api, ids, { ...options, progress }).finally(progress.clear), ids);
  });
}

type Run = Options & { progress: Progress };

async function runSend(api: AccountApi, ids: readonly string[], run: Run): Promise<void> {
  const chosen = run.all ? await chooseAll(api, run.progress) : await chooseNamed(api, ids);
  if (chosen.candidates.length > 0) await requireConnected(api);
  if (run.dryRun) showDryRun(await dryRunOf(api, chosen, run.progress), run);
  else await send(api, chosen, run);
}

async function send(api: AccountApi, chosen: Chosen, { wait, json, progress }: Run): Promise<void> {
  const { candidates, unchanged, skipped } = chosen;
  const sentence =
    'Stopped. What was ordered is still sent, once: by the server if one runs, otherwise by the same command.';
  const onEnded = json ? () => {} : printEnded;
  const sent = await interruptible({ sentence, cleanUp: progress.clear }, () =>
    sendPayouts(api, candidates, { wait, progress, onEnded }),
  );
  await api.finish('settle');
  progress.clear();
  const { data, held, failed, stopped } = sent;
  if (json) printJson({ data, unchanged, held, failed, skipped });
  else noteSent(sent, chosen);
  if (held.length > 0) process.exitCode = EXIT.unexpected;
  reportFailures({ failed: failed.map(withId), stopped }, 'sent');
}

type Failure = Sent['failed'][number];

/** Its message may only name the partner, who can have several payouts. */
function withId(failure: Failure): Failure {
  const { id, message } = failure;
  return message.includes(id) ? failure : { ...failure, message: `${id}: ${message}` };
}

function printEnded({ id, amount, currency, status, transfer }: PayoutInFull): void {
  // a transfer that is under way has no id yet
  print([id, formatMoney(amount, currency), status, transfer?.transferId].filter(Boolean).join('  '));
}

function noteSent({ data, held, failed }: Sent, { unchanged, skipped }: Chosen): void {
  for (const { id } of unchanged) note(`${id} is paid already.`);
  for (const { id, transfer } of held) note(`${id} is held: ${transfer?.problem ?? 'it is not known why'}.`);
  if (held.length > 0) {
    hint(
      'Look at Stripe for the transfer group payout_<id>: if the money was sent, `refbridge payouts mark-paid <id>`; if it ' +
        'was certainly not, `refbridge payouts mark-failed <id>`. `refbridge payouts send <id>` looks again.',
    );
  }
  if (data.length + held.length + failed.length + unchanged.length === 0) note('There is nothing to send.');
  noteSkipped(skipped);
}

function noteSkipped(skipped: readonly Skipped[]): void {
  for (const { reason, count } of skipped) note(`Skipped ${counted(count, 'payout')} ${reason}.`);
}

function showDryRun({ data, unchanged, held, failed, skipped }: DryRun, { json }: Run): void {
  if (json) printJson({ dryRun: true, data, unchanged, held, failed, skipped });
  else {
    if (data.length > 0) {
      const columns = {
        id: ({ id }: Planned) => id,
        partner: ({ partnerName }: Planned) => partnerName,
        amount: ({ amount, currency }: Planned) => ({ amount, currency }),
        rail: ({ rail }: Planned) => rail,
        account: ({ account }: Planned) => account,
      };
      print(tableOf(data, columns));
    }
    for (const { id } of unchanged) note(`${id} is paid already.`);
    for (const { id } of held) note(`${id} is held: its payment would be looked for again.`);
    noteSkipped(skipped);
    note(
      data.length === 0
        ? 'Nothing would be sent.'
        : `Would send ${counted(data.length, 'payout')}: ${sumsText(sumsByCurrency(data))}.`,
    );
  }
  reportFailures({ failed, stopped: null }, 'sent');
}

type Planned = DryRun['data'][number];
