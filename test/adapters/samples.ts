import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Processor } from '../../src/core/processor.ts';

/** The folder of payloads that processors have published, which is not part of the project; null when not configured. */
export const SAMPLES_FOLDER = process.env.PROCESSOR_SAMPLES || null;

export interface Sample {
  file: string;
  eventType: string;
  rawBody: Buffer;
}

/** The event type for wrapping a bare object. */
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

/** Every published sample of a processor as a delivery; may be empty. */
export function loadSamples(samplesFolder: string, processor: Processor): Sample[] {
  const folder = join(samplesFolder, processor);
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
