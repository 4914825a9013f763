import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Processor } from '../../src/core/processor.ts';

/** Payloads that processors have published, where a copy lies beside the project; they are not part of it. */
const SAMPLES = join(import.meta.dirname, '../../../shared/payloads');

export interface Sample {
  file: string;
  eventType: string;
  rawBody: Buffer;
}

/** The type of event that a bare object is wrapped into. */
const TYPE_OF_OBJECT: Record<string, string> = {
  'object.charge': 'charge.refunded',
  'object.checkout.session': 'checkout.session.completed',
  'object.invoice': 'invoice.paid',
  'object.invoice_payment': 'invoice_payment.paid',
  'object.refund': 'refund.updated',
  checkout: 'checkout.updated',
  customer: 'customer.updated',
  order: 'order.paid',
  subscription: 'subscription.active',
};

/** Every published sample of a processor as a delivery; empty where there is no copy. */
export function loadSamples(processor: Processor): Sample[] {
  const folder = join(SAMPLES, processor);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((file) => {
    const name = file.replace(/(__\d+)?\.json$/, '');
    const text = readFileSync(join(folder, file), 'utf8');
    if (processor === 'shopify') {
      return { file, eventType: name === 'order' ? 'orders/paid' : name.replace('_', '/'), rawBody: Buffer.from(text) };
    }
    const eventType = TYPE_OF_OBJECT[name] ?? name;
    const isBare = processor === 'polar' || name in TYPE_OF_OBJECT;
    return { file, eventType, rawBody: Buffer.from(isBare ? enveloped(text, eventType, processor) : text) };
  });
}

function enveloped(object: string, eventType: string, processor: Processor): string {
  if (processor === 'polar') return `{"type":"${eventType}","timestamp":"2026-10-01T12:00:00Z","data":${object}}`;
  return (
    `{"id":"evt_1Sample","object":"event","type":"${eventType}","created":1790000000,"livemode":true,` +
    `"data":{"object":${object}}}`
  );
}
