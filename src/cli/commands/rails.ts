import type { Command } from 'commander';
import type { Rail } from '../../client/api-types.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { askSecret } from '../terminal/ask.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { note, print, printJson } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';
import { tableOf } from './list-command.ts';

interface ConnectOptions extends AccountOptions {
  secretKeyStdin?: true;
  apiUrl?: string;
}

const COLUMNS = {
  rail: ({ rail }: Rail) => rail,
  'pays by': ({ kind }: Rail) => kind,
  'connected with': ({ connection }: Rail) =>
    connection && [connection.platformName, connection.platformId].filter(Boolean).join(', '),
  mode: ({ connection }: Rail) => connection?.mode ?? null,
  since: ({ connection }: Rail) => connection?.createdAt ?? null,
};

export function addRailsCommand(program: Command): void {
  const rails = program.command('rails').description('the ways in which partners are paid');

  const list = apiCommand(rails, 'list').description('list the ways to pay partners, and what each is connected with');
  list.action(async ({ json }: AccountOptions) => {
    const answer = await withApi(list, (api) => api.call('listRails'));
    if (json) printJson(answer);
    else print(tableOf(answer.data, COLUMNS));
  });

  addConnectCommand(rails);

  const disconnect = apiCommand(rails, 'disconnect <rail>').description(
    'delete the key of a provider that sends payouts; not while payouts are being sent',
  );
  disconnect.action(async (rail: string, { json }: AccountOptions) => {
    await withApi(disconnect, (api) => api.call('disconnectRail', { parameters: { rail } }));
    if (json) printJson({ rail, deleted: true });
    else note(`${rail} is disconnected. Its key still works there until you revoke it.`);
  });
}

function addConnectCommand(rails: Command): void {
  const connect = apiCommand(rails, 'connect <rail>')
    .description('connect a provider that sends payouts: stripe')
    .option(
      '--secret-key-stdin',
      'read the secret key from standard input; without it, the key is prompted for, without echo',
    )
    .option('--api-url <address>', 'another address of its API, on a host that EVENT_ALLOWED_HOSTS names')
    .addHelpText(
      'after',
      `
Stripe: a secret key of the account that pays, or a restricted one that may write transfers, accounts and account links.
A key of test mode moves no real money. The key is stored encrypted, and never shown again. Another key of the same
Stripe account may replace it at any time.

Examples:
  $ refbridge rails connect stripe
  $ refbridge rails connect stripe --secret-key-stdin < key.txt
  $ refbridge rails list`,
    );
  connect.action(async (rail: string, { secretKeyStdin, apiUrl, json }: ConnectOptions) => {
    const secretKey = await readSecretKey(rail, secretKeyStdin);
    const body = { secretKey, apiUrl };
    const answer = await withApi(connect, (api) => api.call('connectRail', { parameters: { rail }, body }));
    if (json) printJson(answer);
    else noteConnected(answer);
  });
}

/** @throws CommandError without one */
async function readSecretKey(rail: string, isOnStdin: true | undefined): Promise<string> {
  if (!isOnStdin && !process.stdin.isTTY) {
    throw new CommandError(EXIT.usage, 'Give --secret-key-stdin, and the secret key on standard input.');
  }
  const secretKey = await askSecret(`Secret key of ${rail}: `);
  if (secretKey === '') throw new CommandError(EXIT.usage, 'That holds no secret key; nothing was changed.');
  return secretKey;
}

function noteConnected({ rail, connection }: Rail): void {
  if (connection === null) return;
  const { platformName, platformId, mode } = connection;
  const name = platformName === null ? platformId : `${platformName} (${platformId})`;
  note(`${rail} is connected: ${name}, ${mode === 'test' ? 'in test mode: no real money is moved' : 'live'}.`);
}
