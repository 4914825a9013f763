import type { Service } from '../../app/service.ts';
import type { Config } from '../../process/config.ts';
import { countSealed } from '../../sealing/sealed-values.ts';
import { type Check, failed, warned } from './check.ts';

const CHECK = 'secret key';

/**
 * Whether payout details can be decrypted and, with `SECRET_KEY_FALLBACKS`, everything else; and whether those are still
 * needed. No check if there is nothing to say. A lost key makes old payout files unreadable forever, which is no problem
 * any more once they were sent.
 */
export async function secretKeyChecks(
  service: Service,
  { secretKeyFallbacks }: Pick<Config, 'secretKeyFallbacks'>,
): Promise<Check[]> {
  const isReplacing = secretKeyFallbacks.length > 0;
  const { fallback, unreadable } = await countSealed(service, isReplacing ? undefined : ['partners']);
  const [first, ...others] = unreadable;
  const checks: Check[] = [];
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    const advice = 'Add the key that encrypted it to SECRET_KEY_FALLBACKS, or enter it again.';
    checks.push(failed(CHECK, `what is stored encrypted for ${first.id}${more} cannot be decrypted`, advice));
  }
  if (fallback > 0) {
    const message = `${fallback} secrets, payout details or files are encrypted with a key of SECRET_KEY_FALLBACKS`;
    checks.push(warned(CHECK, message, 'Run `refbridge reencrypt` once every server has the new SECRET_KEY.'));
  } else if (isReplacing && first === undefined) {
    const advice = 'Once every server has the new SECRET_KEY, remove SECRET_KEY_FALLBACKS from their settings.';
    checks.push(warned(CHECK, 'nothing is encrypted with a key of SECRET_KEY_FALLBACKS', advice));
  }
  return checks;
}
