import { createService, type Service } from '../../src/app/service.ts';
import { eraseFromEndedImports } from '../../src/exchange/jobs/erase.ts';
import { eraseMentions } from '../../src/inbox/erase-bodies.ts';
import { eraseMentionedIdentities } from '../../src/payments/erasure/erase-identities.ts';
import { eraseRemaining } from '../../src/payments/erasure/erase-rest.ts';
import { eraseFromEvents } from '../../src/privacy/events.ts';

const HOUR_MS = 3_600_000;

/** Runs what the server does a while later, because what was committed just now may not be complete yet. */
export async function sweep(service: Service): Promise<void> {
  const later = createService({ ...service, clock: () => service.clock() + HOUR_MS });
  await eraseRemaining(later);
  await eraseMentionedIdentities(later);
  await eraseFromEvents(later);
  await eraseMentions(later);
  await eraseFromEndedImports(later);
}
