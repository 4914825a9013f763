import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { formatMoney } from '../../core/money.ts';
import { PROCESSORS } from '../../core/processor.ts';
import { getEndpoint } from '../../deliveries/endpoints.ts';
import { explainDelivery } from '../../deliveries/explain.ts';
import { type Explanation, explainInput } from '../../deliveries/explain-schemas.ts';
import { parseInput } from '../../schema/parse.ts';
import { CommandError, EXIT } from '../terminal/exit-codes.ts';
import { print, printJson, printResource } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';
import { type AccountOptions, accountCommand, withAccount } from '../with-service.ts';

interface ExplainOptions extends AccountOptions {
  endpoint?: string;
  processor?: string;
  header?: string[];
}

export function addExplainCommand(program: Command): void {
  accountCommand(program, 'explain <file>')
    .description('what the body of a delivery would become; stores nothing')
    .option('--endpoint <id>', 'with the settings and the stored deliveries of this endpoint')
    .option('--processor <name>', `without an endpoint: ${PROCESSORS.join(', ')}`)
    .option('--header <name:value...>', 'a header that carries meaning, such as "x-shopify-topic: orders/paid"')
    .addHelpText('after', '\nExample:\n  $ refbridge explain invoice.json --endpoint whe_…')
    .action(async (file: string, options: ExplainOptions) => {
      const body = await readFile(file, 'utf8').catch((error: Error) => {
        throw new CommandError(EXIT.usage, `${file} cannot be read: ${error.message}`);
      });
      const headers = headersOf(options.header ?? []);
      const explanation = await withAccount(options, async (service, accountId) => {
        const processor = await processorOf(service, accountId, options);
        const input = parseInput(explainInput, { processor, endpointId: options.endpoint ?? null, body, headers });
        return explainDelivery(service, accountId, input);
      });
      if (options.json) printJson(explanation);
      else show(explanation);
    });
}

async function processorOf(service: Service, accountId: AccountId, { endpoint, processor }: ExplainOptions) {
  if (processor !== undefined) return processor;
  if (endpoint !== undefined) return (await getEndpoint(service, accountId, endpoint)).processor;
  throw new CommandError(EXIT.usage, 'Say whose delivery it is: --endpoint <id> or --processor <name>');
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
  if (attribution !== null) {
    const lines = attribution.steps.map(({ step, value, result, reason }) => [step, value, result, reason]);
    print(`\n${formatTable(['step', 'value', 'result', 'reason'], lines)}`);
  }
  for (const fact of facts) print(`\n${JSON.stringify(fact, null, 2)}`);
}
