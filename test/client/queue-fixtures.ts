import type { QueuedCall, QueueStore } from '../../src/client/index.ts';

export const CLICK = 'clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D';
export const leadOf = (customerExternalId: string) => ({ clickId: CLICK, eventName: 'Sign up', customerExternalId });

/** A lead in the queue. */
export const queued = (customerExternalId: string, more: Partial<QueuedCall> = {}): QueuedCall => ({
  path: '/api/track/lead',
  body: JSON.stringify(leadOf(customerExternalId)),
  attempts: 1,
  queuedAt: Date.now(),
  ...more,
});

/** A store that keeps what it was given. */
export function memoryStore(stored: readonly QueuedCall[] = []): QueueStore & { saved: (readonly QueuedCall[])[] } {
  const saved: (readonly QueuedCall[])[] = [];
  return { saved, load: () => stored, save: (calls) => void saved.push(calls) };
}
