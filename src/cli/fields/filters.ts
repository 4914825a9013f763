import { type Command, Option } from 'commander';
import type { AccountApi, OperationId } from '../api/account-api.ts';
import { routeOf } from '../api/routes.ts';
import { flagOf } from './flags.ts';
import { choicesOf, shapeOf } from './input-types.ts';

/** The query of an operation, from the command line's options. */
export type QueryOf = (api: AccountApi, options: Readonly<Record<string, unknown>>) => Promise<Record<string, string>>;

/**
 * Adds an option for every parameter of the operation's query, except `cursor` and `limit`; returns the function that
 * reads them.
 */
export function addFilters(command: Command, operationId: OperationId, skip: readonly string[] = []): QueryOf {
  const shape = shapeOf(routeOf(operationId).query);
  const fields = Object.entries(shape).filter(([name]) => !['cursor', 'limit', ...skip].includes(name));
  const options = fields.map(([name, schema]) => {
    const { flags, describe, resolve } = flagOf(name, operationId);
    const option = new Option(flags, helpOf(schema.description ?? describe, choicesOf(schema)));
    command.addOption(option.makeOptionMandatory(!schema.safeParse(undefined).success));
    return { name, attribute: option.attributeName(), resolve };
  });
  return async (api, given) => {
    const query: Record<string, string> = {};
    for (const { name, attribute, resolve } of options) {
      const value = given[attribute];
      if (typeof value === 'string') query[name] = resolve === undefined ? value : await resolve(api, value);
    }
    return query;
  };
}

/** The words that the option takes, unless the description says them. */
function helpOf(description: string, choices: readonly string[]): string {
  const isSaid = choices.every((choice) => description.includes(choice));
  return isSaid ? asHelp(description) : [choices.join(', '), asHelp(description)].filter(Boolean).join('; ');
}

/** A description from the API, in the form that the help uses. */
export function asHelp(text: string): string {
  const plain = text.replaceAll('`', '').replace(/\.$/, '');
  return /^[A-Z][a-z ]/.test(plain) ? plain.charAt(0).toLowerCase() + plain.slice(1) : plain;
}
