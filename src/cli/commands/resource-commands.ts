import type { Command } from 'commander';
import type { AccountApi, AnswerOf, OperationId } from '../api/account-api.ts';
import { apiCommand, withApi } from '../connection/with-api.ts';
import { addBodyOptions } from '../fields/body.ts';
import { addFilters } from '../fields/filters.ts';
import { note, printJson, printResource } from '../terminal/output.ts';
import type { AccountOptions } from '../with-service.ts';

interface Specification<Id extends OperationId> {
  describe: string;
  help?: string;
  /** Prints the resource for people; by default, one member per line. */
  show?: (resource: AnswerOf<Id>) => void;
}

interface NamedSpecification<Id extends OperationId> extends Specification<Id> {
  /** `show <id|email>`; the argument names the resource. */
  name: string;
  resolve?: (api: AccountApi, text: string) => Promise<string>;
}

interface ShowSpecification<Id extends OperationId> extends NamedSpecification<Id> {
  /** The path parameter that the argument fills; `id` by default. */
  parameter?: string;
}

interface InputSpecification {
  /** Fields of the API that are not options. */
  skip?: readonly string[];
  /** Its `--url` is a field of the resource. */
  ownUrl?: true;
}

/** Adds a command that shows the resource named by its argument; its options are the parameters of the query. */
export function addShowCommand<Id extends OperationId>(
  parent: Command,
  operationId: Id,
  { name, describe, help, parameter = 'id', resolve = asGiven, show }: ShowSpecification<Id>,
): void {
  const command = apiCommand(parent, name).description(describe);
  if (help !== undefined) command.addHelpText('after', help);
  const queryOf = addFilters(command, operationId);
  command.action(async (given: string, { json, ...options }: AccountOptions) => {
    const work = async (api: AccountApi) =>
      api.call(operationId, {
        parameters: { [parameter]: await resolve(api, given) },
        query: await queryOf(api, { ...options }),
      });
    // `externalId` is an id of the caller's: several accounts may have it, whatever it looks like
    const named = parameter === 'id' ? given : undefined;
    printAnswer(await withApi(command, work, [named]), json, show);
  });
}

/** Adds `create`, which creates a resource; its options are the fields of the API. */
export function addCreateCommand<Id extends OperationId>(
  parent: Command,
  operationId: Id,
  { describe, help, show, skip, ownUrl }: Specification<Id> & InputSpecification,
): void {
  const command = apiCommand(parent, 'create', ownUrl).description(describe);
  if (help !== undefined) command.addHelpText('after', help);
  const bodyOf = addBodyOptions(command, operationId, skip);
  command.action(async (options: AccountOptions & Record<string, unknown>) => {
    const work = async (api: AccountApi) => api.call(operationId, { body: await bodyOf(api, options) });
    const { partner, program } = options;
    printAnswer(await withApi(command, work, [textOf(partner), textOf(program)]), options.json, show);
  });
}

/** Adds `update`, which changes the given fields of a resource. */
export function addUpdateCommand<Id extends OperationId>(
  parent: Command,
  operationId: Id,
  specification: NamedSpecification<Id> & InputSpecification,
): void {
  const { name, describe, help, resolve = asGiven, show, skip, ownUrl } = specification;
  const command = apiCommand(parent, name, ownUrl).description(describe);
  command.addHelpText(
    'after',
    `${help ?? ''}\nOnly the given options change. \`none\` resets an option to its default.`,
  );
  const bodyOf = addBodyOptions(command, operationId, skip);
  command.action(async (given: string, options: AccountOptions & Record<string, unknown>) => {
    const work = async (api: AccountApi) => {
      const body = await bodyOf(api, options);
      return api.call(operationId, { parameters: { id: await resolve(api, given) }, body });
    };
    printAnswer(await withApi(command, work, [given]), options.json, show);
  });
}

interface DeleteSpecification {
  /** `delete <id|url>`. */
  name: string;
  describe: string;
  resolve: (api: AccountApi, text: string) => Promise<string>;
}

/** Adds `delete` of the resource named by its argument. */
export function addDeleteCommand(
  parent: Command,
  operationId: OperationId,
  { name, describe, resolve }: DeleteSpecification,
): void {
  const command = apiCommand(parent, name).description(describe);
  command.action(async (given: string, { json }: AccountOptions) => {
    const work = async (api: AccountApi) => {
      const id = await resolve(api, given);
      await api.call(operationId, { parameters: { id } });
      return id;
    };
    const id = await withApi(command, work, [given]);
    if (json) printJson({ id, deleted: true });
    else note(`${id} is deleted.`);
  });
}

function printAnswer<Answer>(answer: Answer, json: true | undefined, show?: (answer: Answer) => void): void {
  if (json || show === undefined) printResource(answer as object, json);
  else show(answer);
}

async function asGiven(_: AccountApi, text: string): Promise<string> {
  return text;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
