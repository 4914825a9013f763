import type { Adapter, BackfillRequest, DeliveryRequest } from '../../adapters/contract/adapter.ts';
import { adapters } from '../../adapters/index.ts';
import type { Processor } from '../../src/core/processor.ts';

/** The type of an event at which the adapter throws. */
export const BUG = 'test.bug';

/** What the API of a processor says happened. Tests change it while they run. */
export interface Past {
  payloads: object[];
  pageSize: number;
  /** The requests that were answered or refused. */
  requests: BackfillRequest[];
  /** Called before each answer; throws to refuse it. */
  before(request: BackfillRequest): void | Promise<void>;
  /** Whether the adapter throws at whatever it interprets. */
  isBroken: boolean;
  /** Where the list goes on in place of this cursor. */
  nextOf?: ((cursor: string | null) => string | null) | undefined;
  /** For `createTestApp`: Stripe's adapter reads this past, the others are as they are. */
  adapterFor(processor: Processor): Promise<Adapter>;
}

export async function createPast(): Promise<Past> {
  const stripe = await adapters.stripe();
  const past: Past = {
    payloads: [],
    pageSize: 2,
    requests: [],
    isBroken: false,
    before: () => undefined,
    adapterFor: async (processor) => (processor === 'stripe' ? readable : adapters[processor]()),
  };
  const readable: Adapter = {
    ...stripe,
    interpret(delivery, headers, settings) {
      if (past.isBroken || delivery.eventType === BUG) throw new Error('a bug');
      return stripe.interpret(delivery, headers, settings);
    },
    backfill: async () => ({
      async readPage(request) {
        past.requests.push(request);
        await past.before(request);
        const start = Number(request.cursor ?? 0);
        const end = start + past.pageSize;
        const cursor = end < past.payloads.length ? String(end) : null;
        return {
          deliveries: past.payloads.slice(start, end).map(deliveryOf),
          cursor: past.nextOf === undefined ? cursor : past.nextOf(cursor),
        };
      },
    }),
  };
  return past;
}

function deliveryOf(payload: object): DeliveryRequest {
  return { rawBody: Buffer.from(JSON.stringify(payload)), headers: { 'content-type': 'application/json' } };
}
