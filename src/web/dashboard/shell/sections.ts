import { type ComponentType, lazy } from 'react';
import type { IconName } from '../../parts/icons.tsx';

export interface Section {
  /** Below `/dashboard`. */
  path: string;
  name: string;
  icon: IconName;
  /** Further words that find the page. */
  words: string;
  /** A gap separates the groups. */
  group: 'results' | 'people' | 'money' | 'set-up';
  Page: ComponentType;
}

const RESULTS: readonly Section[] = [
  {
    path: '/',
    name: 'Overview',
    icon: 'overview',
    words: 'home statistics charts attention',
    group: 'results',
    Page: lazy(() => import('../pages/overview/overview.tsx')),
  },
  {
    path: '/sales',
    name: 'Sales',
    icon: 'sales',
    words: 'orders invoices payments refunds',
    group: 'results',
    Page: lazy(() => import('../pages/sales/sales.tsx')),
  },
  {
    path: '/unattributed',
    name: 'Unattributed',
    icon: 'unattributed',
    words: 'parked payments waiting',
    group: 'results',
    Page: lazy(() => import('../pages/unattributed/unattributed.tsx')),
  },
];

const PEOPLE: readonly Section[] = [
  {
    path: '/customers',
    name: 'Customers',
    icon: 'customers',
    words: 'leads users buyers',
    group: 'people',
    Page: lazy(() => import('../pages/customers/customers.tsx')),
  },
  {
    path: '/partners',
    name: 'Partners',
    icon: 'partners',
    words: 'affiliates enroll discount codes portal',
    group: 'people',
    Page: lazy(() => import('../pages/partners/partners.tsx')),
  },
  {
    path: '/links',
    name: 'Links',
    icon: 'links',
    words: 'clicks urls',
    group: 'people',
    Page: lazy(() => import('../pages/links/links.tsx')),
  },
];

const MONEY: readonly Section[] = [
  {
    path: '/payouts',
    name: 'Payouts',
    icon: 'payouts',
    words: 'run pay owed export csv',
    group: 'money',
    Page: lazy(() => import('../pages/payouts/payouts.tsx')),
  },
  {
    path: '/payout-files',
    name: 'Payout files',
    icon: 'file',
    words: 'paypal wise sepa bank transfer report download',
    group: 'money',
    Page: lazy(() => import('../pages/payout-files/payout-files.tsx')),
  },
  {
    path: '/ledger',
    name: 'Ledger',
    icon: 'ledger',
    words: 'entries adjustments balance',
    group: 'money',
    Page: lazy(() => import('../pages/ledger/ledger.tsx')),
  },
];

const SET_UP: readonly Section[] = [
  {
    path: '/deliveries',
    name: 'Deliveries',
    icon: 'deliveries',
    words: 'webhooks events inbox failed live',
    group: 'set-up',
    Page: lazy(() => import('../pages/deliveries/deliveries.tsx')),
  },
  {
    path: '/connections',
    name: 'Connections',
    icon: 'connections',
    words: 'processors stripe shopify polar paddle revenuecat lemon squeezy secrets endpoints',
    group: 'set-up',
    Page: lazy(() => import('../pages/connections/connections.tsx')),
  },
  {
    path: '/program',
    name: 'Program',
    icon: 'program',
    words: 'terms commission hold minimum portal theme origins',
    group: 'set-up',
    Page: lazy(() => import('../pages/program/program.tsx')),
  },
  {
    path: '/settings',
    name: 'Settings',
    icon: 'settings',
    words: 'api keys operators team sessions password audit log',
    group: 'set-up',
    Page: lazy(() => import('../pages/settings/settings.tsx')),
  },
];

/** Every page of the dashboard, in the order of the navigation. */
export const SECTIONS: readonly Section[] = [...RESULTS, ...PEOPLE, ...MONEY, ...SET_UP];
