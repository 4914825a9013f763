import { EXAMPLE_IDS } from './ids.ts';

/** Examples of what is stored about a person. */
export const PERSONAL_DATA = {
  'CustomerPersonalData.externalId': 'user_1042',
  'CustomerPersonalData.customer': {
    id: EXAMPLE_IDS.customer,
    email: 'mara.lindqvist@example.com',
    name: 'Mara Lindqvist',
    avatar: null,
    createdAt: '2026-06-14T17:20:45.000Z',
  },
  'CustomerPersonalData.leads': [
    { eventName: 'Sign up', clickId: EXAMPLE_IDS.click, metadata: null, createdAt: '2026-06-14T17:20:45.000Z' },
  ],
  'CustomerPersonalData.sales': [{ id: EXAMPLE_IDS.sale, clickId: EXAMPLE_IDS.click, metadata: null, emails: [] }],
  'CustomerPersonalData.parkedPayments': [],
  'CustomerPersonalData.processorIds': [],
  'CustomerPersonalData.clicks': [
    {
      id: EXAMPLE_IDS.click,
      referrerHost: 'blog.example.com',
      device: 'desktop',
      country: null,
      createdAt: '2026-06-14T17:18:02.000Z',
    },
  ],
  deliveries: [],
  'PartnerPersonalData.id': EXAMPLE_IDS.partner,
  'PartnerPersonalData.name': 'Ana Alvarez',
  'PartnerPersonalData.email': 'ana@example.com',
  'PartnerPersonalData.discountCodes': ['ANA20'],
  'PartnerPersonalData.createdAt': '2026-06-01T09:00:00.000Z',
};
