import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { guides } from '../../../adapters/guides.ts';
import type { WebhookEndpoint, WebhookRefusal } from '../../client/api-types.ts';
import { PROCESSORS } from '../../core/processor.ts';
import type { AccountApi } from '../api/account-api.ts';
import { endpointIdOf, programIdOf } from '../api/names.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { addMemberOptions, changesOf, countShownSecrets, isNone, membersOf } from '../endpoint-options.ts';
import { requireChange } from '../fields/body.ts';
import { missingSecret } from '../missing-secret.ts';
import { collectEach } from '../terminal/arguments.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { hint, note, print, printResource } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';
import { addListCommand } from './list-command.ts';
import { addDeleteCommand } from './resource-commands.ts';

interface SettingOptions extends AccountOptions {
  secret?: string[];
  secretStdin?: true;
  accessTokenStdin?: true;
  program?: string;
}

export function addEndpointsCommand(program: Command): void {
  const endpoints = program
    .command('endpoints')
    .description('webhook endpoints: the URLs that payment processors post to, and their secrets');

  const create = withSettings(apiCommand(endpoints, 'create'))
    .description("create a webhook endpoint; prints the URL for the processor's dashboard")
    .addOption(new Option('--processor <name>', 'the payment processor').choices(PROCESSORS).makeOptionMandatory())
    .addHelpText(
      'after',
      `
Most dashboards ask for the URL before they show the secret: create the endpoint without a secret, then update it.
Until a secret is set, every delivery is refused.

Examples:
  $ refbridge endpoints create --processor stripe
  $ refbridge endpoints update whe_… --secret-stdin < secret.txt
  $ refbridge endpoints create --processor shopify --shop-domain example.myshopify.com`,
    );
  create.action(async ({ processor, ...options }: SettingOptions & { processor: string }) => {
    const settings = await settingsOf(options, membersOf({ ...options }));
    const work = async (api: AccountApi) =>
      api.call('createWebhookEndpoint', { body: { processor, ...(await withProgram(api, settings)) } });
    const endpoint = await withApi(create, work, [options.program]);
    printResource(endpoint, options.json);
    if (!options.json) hint(adviceFor(endpoint));
  });

  addListCommand(endpoints, 'listWebhookEndpoints', {
    describe: 'list the endpoints of the account',
    columns: {
      id: ({ id }) => id,
      processor: ({ processor }) => processor,
      url: ({ url }) => url,
      secrets: (endpoint) => countShownSecrets(endpoint),
      'last delivery': ({ lastDeliveryAt }) => lastDeliveryAt,
    },
  });

  const show = apiCommand(endpoints, 'show <id|processor>').description(
    'show an endpoint without its secrets, and why it refused deliveries',
  );
  show.action(async (given: string, { json }: AccountOptions) => {
    const work = async (api: AccountApi) => {
      const parameters = { id: await endpointIdOf(api, given) };
      const endpoint = await api.call('getWebhookEndpoint', { parameters });
      return { endpoint, refusals: (await api.call('listWebhookRefusals', { parameters })).data };
    };
    const { endpoint, refusals } = await withApi(show, work, [given]);
    printResource(json ? { ...endpoint, refusals } : endpoint, json);
    if (!json && refusals.length > 0) print(`\n${formatRefusals(refusals)}`);
  });

  const update = withSettings(apiCommand(endpoints, 'update <id|processor>'))
    .description('change the given settings, or remove one with "none"; secrets replace the whole list')
    .addHelpText(
      'after',
      `
While you rotate a secret, set both:
  $ refbridge endpoints update whe_… --secret whsec_old… --secret whsec_new…

Examples:
  $ refbridge endpoints update whe_… --secret none
  $ refbridge endpoints update whe_… --count-stores none`,
    );
  update.action(async (given: string, options: SettingOptions) => {
    const settings = await settingsOf(options, changesOf({ ...options }));
    if (isNone(settings.secrets)) settings.secrets = [];
    requireChange(settings);
    const work = async (api: AccountApi) => {
      const parameters = { id: await endpointIdOf(api, given) };
      return api.call('updateWebhookEndpoint', { parameters, body: await withProgram(api, settings) });
    };
    printResource(await withApi(update, work, [given]), options.json);
  });

  addDeleteCommand(endpoints, 'deleteWebhookEndpoint', {
    name: 'delete <id|processor>',
    describe: 'delete an endpoint and its secrets; its URL answers 404 from then on',
    resolve: endpointIdOf,
  });
}

function withSettings(command: Command): Command {
  command
    .option('--secret <secret>', 'signing secret; repeat for several', collectEach)
    .option(
      '--secret-stdin',
      'read secrets from standard input, one per line, which keeps them out of the shell history',
    )
    .option('--access-token-stdin', 'read the access token from standard input');
  return addMemberOptions(command).option(
    '--program <id|name>',
    'the only program whose partners earn from its payments; "none" for every program',
  );
}

/** Only the settings that were given, so that an update keeps the others. */
async function settingsOf(options: SettingOptions, members: object): Promise<Record<string, unknown>> {
  const { program, secret: given = [], secretStdin } = options;
  const { accessTokenStdin } = options;
  if (secretStdin && accessTokenStdin) {
    throw new CommandError(EXIT.usage, 'Give --secret-stdin and --access-token-stdin to one command each.');
  }
  const secrets = secretStdin ? [...given, ...(await secretsOnStdin('the secrets, one per line'))] : options.secret;
  const [accessToken, ...others] = accessTokenStdin ? await secretsOnStdin('the access token') : [];
  if (others.length > 0)
    throw new CommandError(EXIT.usage, 'Standard input holds several lines; an access token is one.');
  const named = { secrets, programId: program, ...members, ...(accessToken !== undefined && { accessToken }) };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

/** @throws CommandError without any, which would remove every secret, as when the file of a pipe is missing */
async function secretsOnStdin(what: string): Promise<string[]> {
  if (process.stdin.isTTY) note(`Paste ${what}, then press Enter and Ctrl-D.`);
  const secrets = linesOf(await text(process.stdin));
  if (secrets.length === 0) throw new CommandError(EXIT.usage, 'Standard input holds no secret; nothing was changed.');
  return secrets;
}

async function withProgram(api: AccountApi, settings: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { programId } = settings;
  if (typeof programId !== 'string') return settings;
  return { ...settings, programId: programId === 'none' ? null : await programIdOf(api, programId) };
}

function formatRefusals(refusals: readonly WebhookRefusal[]): string {
  const lines = refusals.flatMap(({ lastRefusedAt, count, eventType, reason, advice }) => [
    `  ${lastRefusedAt}  ${eventType ?? 'a delivery'} was refused${count > 1 ? `, ${count} so far` : ''}: ${reason}.`,
    `    ${advice}`,
  ]);
  return ['Refused deliveries, the latest first:', ...lines].join('\n');
}

function linesOf(input: string): string[] {
  return input
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function adviceFor(endpoint: WebhookEndpoint): string {
  const { id, processor } = endpoint;
  const { name, place } = guides[processor];
  const dashboard = `Enter the URL at ${name}: ${place}.`;
  if (countShownSecrets(endpoint) > 0) return dashboard;
  const { what, command } = missingSecret(processor, id);
  return `${dashboard} Then set ${what}:\n  ${command}`;
}
