import type { Service } from '../app/service.ts';
import { eraseFromStoredEvents } from '../events/erase.ts';
import { readMarks } from '../inbox/erase-bodies.ts';

/** Erases persons from the events that were told about them before they were erased. */
export function eraseFromEvents(service: Service): Promise<void> {
  return eraseFromStoredEvents(service, (accountId) => readMarks(service, accountId));
}
