/** awaited: known only by a reference. parked: received, not attributed. counted: a sale. joined: merged into another. */
export type PaymentState = 'awaited' | 'parked' | 'counted' | 'joined';
