import { type Arrivals, describeStories, lead, leadWith, type Story } from '../helpers/arrivals.ts';
import type { EndState } from '../helpers/end-state.ts';
import { orderOf, sent } from '../helpers/shopify-orders.ts';

const KEPT = '501';
const DELETED = '502';

/** An order of a Shopify customer with goods of this many cents; it may name a customer of the caller. */
const order = (id: string, shopifyCustomer: string, netCents: number, externalId?: string): Arrivals[string] => {
  const note_attributes = externalId === undefined ? [] : [{ name: 'svcCustomerExternalId', value: externalId }];
  const changes = { id, customer: { id: shopifyCustomer }, note_attributes };
  return sent('orders/paid', orderOf([[1, 1, netCents]], changes));
};
const merge = sent('customers/merge', {
  admin_graphql_api_customer_kept_id: `gid://shopify/Customer/${KEPT}`,
  admin_graphql_api_customer_deleted_id: `gid://shopify/Customer/${DELETED}`,
  status: 'completed',
});

function sold(customer: string, amount: number): EndState['sales'][number] {
  return {
    customer,
    amount,
    grossAmount: amount * 1.08 + 500,
    currency: 'eur',
    commissionAmount: amount / 5,
    status: 'pending',
    refundedAmount: 0,
    reversedCommissionAmount: 0,
    held: 0,
  };
}

const rest = { ofSecondRecords: 0, queuedPayouts: 1 };

const STORIES: Record<string, Story> = {
  'two Shopify customers who are merged, each the customer of another lead': {
    arrivals: {
      'lead of Mia': lead,
      'lead of Bo': leadWith({ customerExternalId: 'bo' }),
      'order of Mia, who is deleted': order('7001', DELETED, 1_000, 'mia'),
      'order of Bo, who is kept': order('7002', KEPT, 2_000, 'bo'),
      merge,
      'order of the kept customer': order('7003', KEPT, 3_000),
    },
    ends: { ...rest, sales: [sold('mia', 1_000), sold('bo', 2_000), sold('bo', 3_000)], owed: 1_200, parked: 0 },
  },
  'one who is merged into a customer of whom nothing is known': {
    arrivals: {
      'lead of Mia': lead,
      'order of Mia, who is deleted': order('7001', DELETED, 1_000, 'mia'),
      merge,
      'order of the kept customer': order('7003', KEPT, 3_000),
    },
    ends: { ...rest, sales: [sold('mia', 1_000)], owed: 200, parked: 1 },
  },
};

describeStories(STORIES);
