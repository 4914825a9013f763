import type { Service } from '../../../app/service.ts';
import { DAY_MS } from '../../../core/time.ts';
import type { FurnishedStage } from '../furnish.ts';
import { createStripe } from './deliver.ts';
import { strangersInvoice } from './stripe-events.ts';

/** How many days ago, and who. */
const STRANGERS = [
  [6.2, { name: 'Robin Vale', email: 'robin.vale@example.com' }],
  [3.4, { name: 'Mika Sørli', email: 'mika@example.com' }],
  [1.1, { name: 'Dana Whitlock', email: 'dana.whitlock@example.com' }],
] as const;

/** Payments that nothing connects to a partner, so they stay parked. */
export async function writeStrangers(service: Service, stage: FurnishedStage, now: number): Promise<void> {
  const deliver = await createStripe(service, stage);
  for (const [index, [daysAgo, person]] of STRANGERS.entries()) {
    const at = now - Math.round(daysAgo * DAY_MS);
    await deliver(strangersInvoice(index + 1, at, person), at);
  }
}
