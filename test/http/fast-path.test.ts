import { describe, expect, it } from 'vitest';
import { PROCESSORS } from '../../src/core/processor.ts';
import { plainWebhookOf } from '../../src/http/fast-path.ts';

const pathOf = (method: string, url: string) => plainWebhookOf({ method, url });

describe('the fast path of webhooks', () => {
  it.each([...PROCESSORS, 'lemon-squeezy'])('handles a delivery of %s', (processor) => {
    expect(pathOf('POST', `/webhooks/${processor}/whe_1`)).toEqual({ processor, endpointId: 'whe_1' });
  });

  it.each([
    ['GET', '/webhooks/stripe/whe_1'],
    ['POST', '/webhooks/stripe/whe_1?x=1'],
    ['POST', '/webhooks/stripe/whe%5F1'],
    ['POST', '/webhooks/stripe/whe_1/'],
    ['POST', '/webhooks/Stripe/whe_1'],
    ['POST', '/webhooks/stripe'],
    ['POST', '/api/webhooks/stripe/whe_1'],
  ])('leaves %s %s to the routes', (method, url) => {
    expect(pathOf(method, url)).toBeNull();
  });
});
