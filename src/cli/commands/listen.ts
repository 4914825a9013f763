import type { Command } from 'commander';
import { DEFAULT_EVENT_TYPES, EVENT_TYPES } from '../../core/event.ts';
import { createEventSecret } from '../../events/secrets.ts';
import { apiCommand, connectionOf } from '../connection/with-api.ts';
import { type HeardEvent, listen } from '../listen/listen.ts';
import { databaseSource, type EventSource, serverSource } from '../listen/source.ts';
import { collectList, readUrl } from '../terminal/arguments.ts';
import { hint, note, print, printJson } from '../terminal/output.ts';
import { type AccountOptions, withAccount } from '../with-service.ts';

/** Closing the terminal, too: otherwise, the server keeps events for nobody for an hour. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

interface ListenCommandOptions extends AccountOptions {
  forwardTo?: string;
  types?: string[];
}

export function addListenCommand(program: Command): void {
  const command = apiCommand(program, 'listen')
    .description('show events as they happen, and forward them to your machine, until Ctrl-C')
    .option('--forward-to <url>', 'post each event there, signed with the secret that is printed at the start', readUrl)
    .option(
      '--types <types>',
      `comma-separated; all but click.created by default: ${EVENT_TYPES.join(', ')}`,
      collectList,
    )
    .addHelpText(
      'after',
      `
If the connection drops, no event is lost or repeated: the server keeps the events for an hour. The response of your machine
is shown; each event is posted to it once, whatever it answers.

Examples:
  $ refbridge listen
  $ refbridge listen --forward-to http://localhost:4000/webhooks --types sale.created,sale.refunded
  $ REFBRIDGE_API_KEY=rb_live_… refbridge listen --url https://refer.example.com --forward-to http://localhost:4000/webhooks`,
    );
  command.action(async (options: ListenCommandOptions) => {
    const connection = connectionOf(command);
    if (connection.kind === 'remote') return listenTo(serverSource(connection), options);
    return withAccount(options, async (service, id) => listenTo(await databaseSource(service, id), options));
  });
}

async function listenTo(source: EventSource, { types, json, ...options }: ListenCommandOptions): Promise<void> {
  const forwardTo = options.forwardTo ?? null;
  const { listenerInput } = await import('../../events/schemas.ts');
  const { parseInput } = await import('../../schema/parse.ts');
  const named = parseInput(listenerInput, { types: types ?? DEFAULT_EVENT_TYPES });
  const secret = createEventSecret();
  const abort = new AbortController();
  const stop = () => abort.abort();
  for (const signal of SIGNALS) process.once(signal, stop);
  if (forwardTo !== null) hint(`Events are signed with ${secret}, a secret for this run only.`);
  try {
    const onEvent = (event: HeardEvent) => (json ? printJson(asJson(event)) : print(asLine(event)));
    await listen({ source, types: named.types, forwardTo, secret, signal: abort.signal, onEvent, onNote: note });
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop);
  }
}

function asJson({ id, body, answer }: HeardEvent): object {
  return { id, ...JSON.parse(body), answer };
}

function asLine({ id, type, body, answer }: HeardEvent): string {
  const { timestamp, data } = JSON.parse(body);
  const arrival = answer === null ? '' : `  → ${answer.status ?? answer.outcome} in ${Math.round(answer.ms)} ms`;
  return `${timestamp}  ${type}  ${data.id ?? ''}  ${id}${arrival}`;
}
