import type { Service } from '../../app/service.ts';
import { troubledEndpoints } from '../../events/endpoints.ts';
import { type Check, type CheckedAccount, failed, passed, warned } from './check.ts';

/** The endpoints that events are sent to: disabled, failing, or with secrets that cannot be decrypted. */
export async function eventChecks(service: Service, { id: accountId, name }: CheckedAccount): Promise<Check[]> {
  const { count, troubled, unreadable } = await troubledEndpoints(service, accountId);
  if (count === 0) return [];
  const checks = troubled.map(({ id, url, enabled, disabledReason, failingSince }) => {
    const check = `event endpoint ${id}`;
    if (!enabled) {
      const advice = `Once it works: \`refbridge events endpoints update ${id} --enabled\`, or delete it.`;
      return failed(check, `${url} is disabled: ${disabledReason}`, advice);
    }
    const advice = `See why: \`refbridge events list --endpoint ${id}\`. After five days it is disabled.`;
    return warned(check, `${url} has failed since ${failingSince}`, advice);
  });
  for (const { id, url, isLeftOut } of unreadable) {
    const rotate = `give the receiver a new secret: \`refbridge events endpoints rotate ${id}\`.`;
    const check = `event endpoint ${id}`;
    checks.push(
      isLeftOut
        ? failed(check, `${url} gets no events: it has no secret, since an import left it out`, `To go on, ${rotate}`)
        : failed(
            check,
            `${url} gets no events: its secrets cannot be decrypted with this SECRET_KEY`,
            `Add the key that encrypted them to SECRET_KEY_FALLBACKS, or ${rotate}`,
          ),
    );
  }
  return checks.length > 0 ? checks : [passed('event endpoints', `${name}: ${count}, none failing`)];
}
