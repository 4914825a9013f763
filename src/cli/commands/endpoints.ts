import { text } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { PROCESSORS } from '../../core/processor.ts';
import { endpointListQuery } from '../../deliveries/endpoint-api.ts';
import { parseEndpoint } from '../../deliveries/endpoint-fields.ts';
import { countShownSecrets } from '../../deliveries/endpoint-members.ts';
import type { EndpointResource } from '../../deliveries/endpoint-schemas.ts';
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
} from '../../deliveries/endpoints.ts';
import { parseInput } from '../../schema/parse.ts';
import { addMemberOptions, membersOf } from '../endpoint-options.ts';
import { collectEach } from '../terminal/arguments.ts';
import { hint, note, printJson, printResource } from '../terminal/output.ts';
import { type AccountOptions, accountCommand, withAccount, withAccountOf } from '../with-service.ts';
import { addListCommand } from './list-command.ts';

interface SettingOptions extends AccountOptions {
  secret?: string[];
  secretStdin?: true;
  program?: string;
}

export function addEndpointsCommand(program: Command): void {
  const endpoints = program
    .command('endpoints')
    .description('webhook endpoints: the URLs that payment processors post to, and their secrets');

  withSettings(accountCommand(endpoints, 'create'))
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
    )
    .action(async ({ processor, ...options }: SettingOptions & { processor: string }) => {
      const body = { processor, ...(await settingsOf(options)) };
      const endpoint = await withAccount(options, (service, accountId) =>
        createEndpoint(service, accountId, parseEndpoint(body)),
      );
      printResource(endpoint, options.json);
      if (!options.json) hint(adviceFor(endpoint));
    });

  addListCommand<EndpointResource>(endpoints, {
    describe: 'list the endpoints of the account',
    list: (service, accountId, query) => listEndpoints(service, accountId, parseInput(endpointListQuery, query)),
    columns: {
      id: ({ id }) => id,
      processor: ({ processor }) => processor,
      url: ({ url }) => url,
      secrets: countShownSecrets,
      'last delivery': ({ lastDeliveryAt }) => lastDeliveryAt,
    },
  });

  accountCommand(endpoints, 'show <id>')
    .description('show an endpoint without its secrets')
    .action(async (id: string, options: AccountOptions) => {
      printResource(
        await withAccountOf(options, (service, account) => getEndpoint(service, account, id)),
        options.json,
      );
    });

  withSettings(accountCommand(endpoints, 'update <id>'))
    .description('change the given settings; secrets replace the whole list')
    .addHelpText(
      'after',
      `
While you rotate a secret, set both:
  $ refbridge endpoints update whe_… --secret whsec_old… --secret whsec_new…`,
    )
    .action(async (id: string, options: SettingOptions) => {
      const patch = await settingsOf(options);
      const change = withAccountOf(options, (service, account) => changeEndpoint(service, account, id, patch));
      printResource(await change, options.json);
    });

  accountCommand(endpoints, 'delete <id>')
    .description('delete an endpoint and its secrets; its URL answers 404 from now on')
    .action(async (id: string, options: AccountOptions) => {
      await withAccountOf(options, (service, accountId) => deleteEndpoint(service, accountId, id));
      if (options.json) printJson({ id, deleted: true });
      else note(`${id} is deleted.`);
    });
}

function withSettings(command: Command): Command {
  command
    .option('--secret <secret>', 'signing secret; repeat for several', collectEach)
    .option(
      '--secret-stdin',
      'read secrets from standard input, one per line, which keeps them out of the shell history',
    );
  return addMemberOptions(command).option('--program <id>', 'the program; required only if there are several');
}

/** Only the settings that were given, so that an update keeps the others. */
async function settingsOf(options: SettingOptions): Promise<Record<string, unknown>> {
  const { program: programId, secret: given = [], secretStdin } = options;
  const secrets = secretStdin ? [...given, ...linesOf(await text(process.stdin))] : options.secret;
  const named = { secrets, programId, ...membersOf({ ...options }) };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined));
}

function linesOf(input: string): string[] {
  return input
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function adviceFor(endpoint: EndpointResource): string {
  const { id, processor } = endpoint;
  const dashboard = `Enter the URL in the webhook settings of ${processor}`;
  if (countShownSecrets(endpoint) > 0) return `${dashboard}.`;
  return `${dashboard}, then set the secret that it shows:\n  refbridge endpoints update ${id} --secret-stdin`;
}
