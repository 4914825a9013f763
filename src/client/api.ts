import { type ApiCall, requestOf } from './api-call.ts';
import { CALLS } from './api-calls.ts';
import type { ApiMethods } from './api-methods.ts';
import type { CallOptions } from './call-options.ts';
import { createListing } from './listing.ts';
import { notConfigured, type RequestDefaults, request } from './request.ts';
import type { Connection } from './send.ts';

export interface ApiSettings extends RequestDefaults {
  connection: Connection;
  /** What is wrong with the connection, if anything is. */
  problemOf(call: ApiCall, options: CallOptions): string | null;
}

/** A method for each declared operation; each reads its arguments in the order that `takes` names. */
export function createApi(settings: ApiSettings): ApiMethods {
  const groups = Object.entries(CALLS).map(([group, calls]) => [
    group,
    Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, methodOf(settings, call)])),
  ]);
  // the table is generated beside the type, from the same declarations
  return Object.fromEntries(groups) as ApiMethods;
}

function methodOf(settings: ApiSettings, call: ApiCall): (...values: unknown[]) => unknown {
  const count = call.takes?.length ?? 0;
  const queryAt = call.takes?.indexOf('query') ?? -1;
  return (...values) => {
    const options = (values[count] ?? {}) as CallOptions;
    if (call.answers !== 'list') return answerOf(settings, call, values.slice(0, count), options);
    return createListing(async (cursor) => {
      const parameters = values.slice(0, count);
      if (cursor !== null) parameters[queryAt] = { ...(parameters[queryAt] as object | undefined), cursor };
      return answerOf(settings, call, parameters, options) as Promise<never>;
    });
  };
}

async function answerOf(
  settings: ApiSettings,
  call: ApiCall,
  values: readonly unknown[],
  options: CallOptions,
): Promise<unknown> {
  const problem = settings.problemOf(call, options);
  if (problem !== null) throw notConfigured(problem);
  const { response, body } = await request(settings.connection, requestOf(call, values), settings, options);
  if (call.answers === 'response') return response;
  return call.answers === 'nothing' ? undefined : body;
}
