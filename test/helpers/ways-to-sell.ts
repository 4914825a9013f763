/** The order that a backend reports; its customer signs up as `mia`. */
export const ORDER = { customerExternalId: 'mia', amount: 10_000, invoiceId: 'in_1' };

interface Backend {
  clickId(): string;
  signUp(customerExternalId: string): Promise<unknown>;
  post(path: string, body: object, status?: number): Promise<unknown>;
}

/** The ways in which a backend makes the payment of `ORDER` a sale, each with its name. */
export function waysToSell({ clickId, signUp, post }: Backend) {
  return [
    ['a sale with a click', () => post('/api/track/sale', { ...ORDER, clickId: clickId() })],
    ['a sale in another currency', () => post('/api/track/sale', { ...ORDER, clickId: clickId(), currency: 'eur' })],
    [
      'a sale of a known customer',
      async () => {
        // a customer whom the processor does not name
        await signUp('noor');
        await post('/api/sales', { ...ORDER, customerExternalId: 'noor' });
      },
    ],
    [
      'a sale and then a lead',
      async () => {
        await post('/api/sales', ORDER, 202);
        await signUp('mia');
      },
    ],
  ] as const;
}
