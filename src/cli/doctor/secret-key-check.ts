import type { Service } from '../../app/service.ts';
import type { Config } from '../../process/config.ts';
import { countSealed } from '../../sealing/sealed-values.ts';
import { type Check, warned } from './check.ts';

/** Whether `SECRET_KEY_FALLBACKS` is still needed; no check without it. */
export async function secretKeyChecks(service: Service, { secretKeyFallbacks }: Config): Promise<Check[]> {
  if (secretKeyFallbacks.length === 0) return [];
  const { fallback } = await countSealed(service);
  const check = 'secret key';
  return fallback > 0
    ? [
        warned(
          check,
          `${fallback} secrets, payout details or files are encrypted with a key of SECRET_KEY_FALLBACKS`,
          'Run `refbridge reencrypt` once every server has the new SECRET_KEY.',
        ),
      ]
    : [warned(check, 'SECRET_KEY_FALLBACKS is no longer needed', 'Remove it from the settings of every server.')];
}
