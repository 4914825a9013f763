import { createRequire } from 'node:module';
import type Stripe from 'stripe';

type Webhooks = typeof Stripe.webhooks;

/** The part of Stripe's package that signs and verifies webhooks. */
export const webhooks: Webhooks = webhooksOf(createRequire(import.meta.url).resolve('stripe'));

/**
 * The entry of Stripe's package also loads a client for the whole API, which is 200 modules and 6 MB. Therefore only
 * the part for webhooks is loaded. The entry is the fallback when a version of the package has no such part, or when
 * the part behaves differently.
 */
export function webhooksOf(entry: string): Webhooks {
  const load = createRequire(entry);
  return loadPart(load) ?? load(entry).webhooks;
}

function loadPart(load: NodeJS.Require): Webhooks | null {
  try {
    const { createWebhooks } = load('./Webhooks.js');
    const { NodePlatformFunctions } = load('./platform/NodePlatformFunctions.js');
    const part: Webhooks = createWebhooks(new NodePlatformFunctions());
    return tellsSignaturesApart(part) ? part : null;
  } catch {
    return null;
  }
}

/** True when it accepts what it signs, and refuses another body, another secret and an old signature. */
function tellsSignaturesApart(part: Webhooks): boolean {
  const [payload, secret] = ['{}', 'whsec_example'];
  const header = part.generateTestHeaderString({ payload, secret });
  const old = part.generateTestHeaderString({ payload, secret, timestamp: 1 });
  const accepts = (...signed: [payload: string, header: string, secret: string]) => {
    try {
      const answer: unknown = part.signature?.verifyHeader(...signed, 300);
      return answer !== false;
    } catch {
      return false;
    }
  };
  const refused = [
    accepts('{} ', header, secret),
    accepts(payload, header, 'whsec_other'),
    accepts(payload, old, secret),
  ];
  return part.signature?.verifyHeader(payload, header, secret, 300) === true && !refused.includes(true);
}
