import type { Command } from 'commander';
import type { Explanation } from '../../client/api-types.ts';
import { formatMoney } from '../../core/money.ts';
import { PROCESSORS } from '../../core/processor.ts';
import type { AccountApi } from '../api/account-api.ts';
import { endpointIdOf } from '../api/names.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { formatSteps } from '../terminal/attribution-steps.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { readInputFile } from '../terminal/input-file.ts';
import { print, printJson, printResource, printStored } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';

interface ExplainOptions extends AccountOptions {
  endpoint?: string;
  processor?: string;
  header?: string[];
  asNew?: true;
}

export function addExplainCommand(program: Command): void {
  const explain = apiCommand(program, 'explain <file>')
    .description('show what the body of a delivery would become; stores nothing')
    .option('--endpoint <id|processor>', 'use the settings and the stored deliveries of this endpoint')
    .option('--processor <name>', `without an endpoint, or for a deleted one: ${PROCESSORS.join(', ')}`)
    .option('--header <name:value...>', 'a header that the processor sends, such as "x-shopify-topic: orders/paid"')
    .option('--as-new', 'do not look whether the endpoint has stored the delivery already')
    .addHelpText(
      'after',
      `
Examples:
  $ refbridge explain invoice.json --endpoint whe_…
  $ refbridge explain order.json --endpoint whe_… --header "x-shopify-topic: orders/paid"`,
    );
  explain.action(async (file: string, options: ExplainOptions) => {
    const body = await readInputFile(file);
    const headers = headersOf(options.header ?? []);
    const explanation = await withApi(explain, async (api) => {
      const endpointId = options.endpoint === undefined ? null : await endpointIdOf(api, options.endpoint);
      const processor = await processorOf(api, endpointId, options.processor);
      return api.call('explainDelivery', { body: { processor, endpointId, asNew: options.asNew, body, headers } });
    });
    if (options.json) printJson(explanation);
    else show(explanation);
  });
}

async function processorOf(api: AccountApi, endpointId: string | null, processor: string | undefined): Promise<string> {
  if (processor !== undefined) return processor;
  if (endpointId !== null) return (await api.call('getWebhookEndpoint', { parameters: { id: endpointId } })).processor;
  throw new CommandError(EXIT.usage, 'Name the endpoint or the processor: --endpoint <id> or --processor <name>');
}

function headersOf(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      if (colon < 1) throw new CommandError(EXIT.usage, `--header ${line}: write it as name:value`);
      return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
    }),
  );
}

function show({ facts, attribution, commissionAmount, currency, ...explanation }: Explanation): void {
  const commission = commissionAmount === null || currency === null ? null : formatMoney(commissionAmount, currency);
  printResource({ ...explanation, matchedBy: attribution?.matchedBy ?? null, commission }, undefined);
  if (attribution !== null) print(`\n${formatSteps(attribution.steps, currency)}`);
  for (const fact of facts) printStored(`\n${JSON.stringify(fact, null, 2)}`);
}
