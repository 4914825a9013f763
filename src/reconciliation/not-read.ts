import type { NotRead } from '../../adapters/contract/adapter.ts';

/** The stored list of what is not read. */
export function notReadIn(stored: string): NotRead[] {
  return JSON.parse(stored);
}

/** The list to store after a page: each thing once, with the latest reason. */
export function withNotRead(stored: string, added: readonly NotRead[]): string {
  const isAdded = ({ what }: NotRead) => added.some((other) => other.what === what);
  return JSON.stringify([...notReadIn(stored).filter((one) => !isAdded(one)), ...added]);
}
