import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import type * as Paddle from '@paddle/paddle-node-sdk';

/** The part of Paddle's package that checks signatures, and the types of notifications that it lists. */
interface Webhooks {
  isSignatureValid: Paddle.WebhooksValidator['isValidSignature'];
  knownTypes: ReadonlySet<string>;
}

export const webhooks = await webhooksOf(createRequire(import.meta.url).resolve('@paddle/paddle-node-sdk'));

/**
 * The entry of Paddle's package also loads a client for the whole API, which is 780 modules and 22 MB. Therefore only the
 * part for webhooks is loaded. The entry is the fallback when a version of the package has no such part, or when the part
 * behaves differently.
 */
export async function webhooksOf(entry: string): Promise<Webhooks> {
  const load = createRequire(entry);
  return (await loadPart(load)) ?? loadWhole(load(entry));
}

async function loadPart(load: NodeJS.Require): Promise<Webhooks | null> {
  try {
    const part = partOf({
      ...load('./notifications/helpers/webhooks-validator.js'),
      ...load('./notifications/helpers/types.js'),
    });
    // checking a signature needs a provider of hashes, but no API key and no network
    load('./internal/providers/runtime/node-runtime.js').NodeRuntime.initialize();
    return (await tellsSignaturesApart(part)) && part.knownTypes.has('transaction.completed') ? part : null;
  } catch {
    return null;
  }
}

function loadWhole(whole: Modules & Pick<typeof Paddle, 'Paddle'>): Webhooks {
  // provides the hashes
  new whole.Paddle('no-api-key');
  return partOf(whole);
}

function partOf({ WebhooksValidator, EventName }: Modules): Webhooks {
  // disables the package's age check, which uses the system clock; `verify` checks the age against its own
  Reflect.set(WebhooksValidator, 'MAX_VALID_TIME_DIFFERENCE', Number.POSITIVE_INFINITY);
  const validator = new WebhooksValidator();
  return {
    isSignatureValid: (body, secret, header) => validator.isValidSignature(body, secret, header),
    knownTypes: new Set(Object.values(EventName)),
  };
}

type Modules = Pick<typeof Paddle, 'WebhooksValidator' | 'EventName'>;

/** True when it accepts what is signed, however old it is, and refuses another body, another secret and another time. */
async function tellsSignaturesApart({ isSignatureValid }: Webhooks): Promise<boolean> {
  const [body, secret] = ['{}', 'pdl_ntfset_example'];
  const signature = createHmac('sha256', secret).update(`1:${body}`).digest('hex');
  const refused = [
    await isSignatureValid('{} ', secret, `ts=1;h1=${signature}`),
    await isSignatureValid(body, 'pdl_ntfset_other', `ts=1;h1=${signature}`),
    await isSignatureValid(body, secret, `ts=2;h1=${signature}`),
  ];
  const isAccepted = await isSignatureValid(body, secret, `ts=1;h1=${signature}`);
  return isAccepted === true && refused.every((isTaken) => isTaken === false);
}
