import type { Service } from '../../app/service.ts';
import type { AccountId } from '../../core/ids.ts';
import { troubledEndpoints } from '../../events/endpoints.ts';
import { type Check, failed, passed, warned } from './check.ts';

/** The endpoints that events are sent to: switched off, or failing. */
export async function eventChecks(
  service: Service,
  { id: accountId, name }: { id: AccountId; name: string },
): Promise<Check[]> {
  const { count, troubled } = await troubledEndpoints(service, accountId);
  if (count === 0) return [];
  const checks = troubled.map(({ id, url, enabled, disabledReason, failingSince }) => {
    const check = `event endpoint ${id}`;
    if (!enabled) {
      const advice = `Once it works: \`refbridge events endpoints update ${id} --enabled\`, or delete it.`;
      return failed(check, `${url} is switched off: ${disabledReason}`, advice);
    }
    const advice = `See why: \`refbridge events list --endpoint ${id}\`. After five days it is switched off.`;
    return warned(check, `${url} has failed since ${failingSince}`, advice);
  });
  return checks.length > 0 ? checks : [passed('event endpoints', `${name}: ${count}, none failing`)];
}
