import { isObject, parsed } from './answer.ts';
import type { QueuedCall } from './queued-call.ts';

/**
 * The calls that must not be sent before `first`, in their order: a sale follows the lead of its customer, a refund follows
 * the sale of its invoice, and so on.
 */
export function callsThatFollow(first: QueuedCall, others: readonly QueuedCall[]): QueuedCall[] {
  const subjects = new Set(subjectsOf(first));
  return others.filter((call) => {
    const own = subjectsOf(call);
    if (!own.some((subject) => subjects.has(subject))) return false;
    for (const subject of own) subjects.add(subject);
    return true;
  });
}

/** The invoice and the customer that a call is about. */
function subjectsOf({ body }: QueuedCall): string[] {
  const input = parsed(body);
  if (!isObject(input)) return [];
  const { invoiceId, customerExternalId } = input as Record<string, unknown>;
  return [
    ...(typeof invoiceId === 'string' ? [`invoice ${invoiceId}`] : []),
    ...(typeof customerExternalId === 'string' ? [`customer ${customerExternalId}`] : []),
  ];
}
