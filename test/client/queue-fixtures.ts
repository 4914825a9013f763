import { type ClientOptions, createClient, type QueuedCall, type QueueStore } from '../../src/client/index.ts';
import { fetchWithoutTimeout, type ServiceStub } from './service-stub.ts';

const CLICK = 'clk_019dca2fe1407Zq2mVb8Kx4Tn1WsYc3D';
export const leadOf = (customerExternalId: string) => ({ clickId: CLICK, eventName: 'Sign up', customerExternalId });
export const SALE = { clickId: CLICK, customerExternalId: 'user-1', amount: 1999, currency: 'eur' };

/** A client that tries each call only once, so that the queue makes all retries and no answer is too late. */
export const queueingClient = ({ url }: ServiceStub, options: Partial<ClientOptions> = {}) =>
  createClient({
    baseUrl: url,
    apiKey: 'rb_live_example',
    // too short for a second attempt, which begins after 50 ms or more, and long enough to begin the first on a busy machine
    timeoutMs: 45,
    fetch: fetchWithoutTimeout,
    ...options,
  });

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
