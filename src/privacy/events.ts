import type { Service } from '../app/service.ts';
import { eraseFromStoredEvents } from '../events/erase.ts';
import { readMarks } from '../inbox/erase-bodies.ts';

/** Erases persons from the events that mention them and were created before the erasure. */
export function eraseFromEvents(service: Service): Promise<void> {
  return eraseFromStoredEvents(service, (accountId) => readMarks(service, accountId));
}
