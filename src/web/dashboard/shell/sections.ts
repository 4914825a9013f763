import type { IconName } from '../../parts/icons.tsx';
import { type PageFile, pageFile } from './page-file.tsx';

export interface Section {
  /** Below `/dashboard`. */
  path: string;
  name: string;
  icon: IconName;
  /** Further words that find the page. */
  words: string;
  /** A gap separates the groups. */
  group: 'results' | 'people' | 'money' | 'setup';
  file: PageFile;
}

const RESULTS: readonly Section[] = [
  {
    path: '/',
    name: 'Overview',
    icon: 'overview',
    words: 'home statistics charts attention',
    group: 'results',
    file: pageFile(() => import('../pages/overview/overview.tsx')),
  },
  {
    path: '/sales',
    name: 'Sales',
    icon: 'sales',
    words: 'orders invoices payments refunds',
    group: 'results',
    file: pageFile(() => import('../pages/sales/sales.tsx')),
  },
  {
    path: '/unattributed',
    name: 'Unattributed',
    icon: 'unattributed',
    words: 'parked payments waiting',
    group: 'results',
    file: pageFile(() => import('../pages/unattributed/unattributed.tsx')),
  },
];

const PEOPLE: readonly Section[] = [
  {
    path: '/customers',
    name: 'Customers',
    icon: 'customers',
    words: 'leads users buyers',
    group: 'people',
    file: pageFile(() => import('../pages/customers/customers.tsx')),
  },
  {
    path: '/partners',
    name: 'Partners',
    icon: 'partners',
    words: 'affiliates enroll discount codes portal',
    group: 'people',
    file: pageFile(() => import('../pages/partners/partners.tsx')),
  },
  {
    path: '/links',
    name: 'Links',
    icon: 'links',
    words: 'clicks urls',
    group: 'people',
    file: pageFile(() => import('../pages/links/links.tsx')),
  },
];

const MONEY: readonly Section[] = [
  {
    path: '/payouts',
    name: 'Payouts',
    icon: 'payouts',
    words: 'run pay owed export csv send stripe transfers',
    group: 'money',
    file: pageFile(() => import('../pages/payouts/payouts.tsx')),
  },
  {
    path: '/payout-files',
    name: 'Payout files',
    icon: 'file',
    words: 'paypal wise sepa bank transfer report download',
    group: 'money',
    file: pageFile(() => import('../pages/payout-files/payout-files.tsx')),
  },
  {
    path: '/ledger',
    name: 'Ledger',
    icon: 'ledger',
    words: 'entries adjustments balance',
    group: 'money',
    file: pageFile(() => import('../pages/ledger/ledger.tsx')),
  },
];

const SET_UP: readonly Section[] = [
  {
    path: '/deliveries',
    name: 'Deliveries',
    icon: 'deliveries',
    words: 'webhooks events inbox failed live',
    group: 'setup',
    file: pageFile(() => import('../pages/deliveries/deliveries.tsx')),
  },
  {
    path: '/connections',
    name: 'Connections',
    icon: 'connections',
    words: 'processors stripe shopify polar paddle revenuecat lemon squeezy secrets endpoints payouts transfers',
    group: 'setup',
    file: pageFile(() => import('../pages/connections/connections.tsx')),
  },
  {
    path: '/program',
    name: 'Program',
    icon: 'program',
    words: 'terms commission hold minimum portal theme origins',
    group: 'setup',
    file: pageFile(() => import('../pages/program/program.tsx')),
  },
  {
    path: '/settings',
    name: 'Settings',
    icon: 'settings',
    words: 'api keys operators team sessions password audit log',
    group: 'setup',
    file: pageFile(() => import('../pages/settings/settings.tsx')),
  },
];

/** Every page of the dashboard, in the order of the navigation. */
export const SECTIONS: readonly Section[] = [...RESULTS, ...PEOPLE, ...MONEY, ...SET_UP];

/** Whether a path, such as `/sales/sal_1`, belongs to a section. */
export function isAt(path: string, section: string): boolean {
  return section === '/' ? path === '/' : path === section || path.startsWith(`${section}/`);
}
