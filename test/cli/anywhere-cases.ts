import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unique } from '../helpers/story.ts';
import {
  connectStripe,
  file,
  json,
  newDelivery,
  newEmail,
  newEvent,
  newHook,
  newHookUrl,
  newLink,
  newOnboarded,
  newPartner,
  newPayable,
  newPayout,
  newProgram,
  newSale,
  owe,
  workplace,
} from './anywhere-scene.ts';

const alone = async () => [];

/** By command: prepares what the command needs, and returns its arguments and options. */
export const CASES: Record<string, () => Promise<string[]>> = {
  'customers list': alone,
  'customers show': async () => [(await newSale()).customer],
  'deliveries list': alone,
  'deliveries retry': async () => [(await newDelivery()).deliveryId],
  'deliveries show': async () => [(await newDelivery()).deliveryId],
  'endpoints create': async () => ['--processor', 'paddle', '--secret', 'pdl_x'],
  'endpoints delete': async () => [(await json('endpoints', 'create', '--processor', 'paddle')).id],
  'endpoints list': alone,
  'endpoints show': async () => ['stripe'],
  'endpoints update': async () => ['stripe', '--accept-test-events', '--program', 'example ltd'],
  'events endpoints create': async () => ['--url', newHookUrl(), '--types', 'sale.created,sale.refunded'],
  'events endpoints delete': async () => [await newHook()],
  'events endpoints list': alone,
  'events endpoints resend': async () => [await newHook(), '--since', '2026-01-01'],
  'events endpoints rotate': async () => [await newHook()],
  'events endpoints show': async () => [await newHook()],
  'events endpoints test': async () => [await newHook()],
  'events endpoints update': async () => [await newHook(), '--description', 'orders', '--no-enabled'],
  'events list': async () => ['--endpoint', (await newEvent()).hook],
  'events resend': async () => {
    const hook = await newHook(`${newHookUrl()}/held`);
    return [(await json('events', 'endpoints', 'test', hook)).id, '--endpoint', hook];
  },
  'events show': async () => [(await newEvent()).id],
  erase: async () => [(await newSale()).customer, '--yes'],
  explain: async () => [file, '--endpoint', 'stripe'],
  'keys create': async () => ['--name', 'shop', '--scope', 'read'],
  'keys list': alone,
  'keys revoke': async () => [(await json('keys', 'create', '--name', 'shop')).id],
  'leads list': alone,
  'ledger adjust': async () => ['--partner', await newPartner(), '--amount', '-5EUR', '--reason', 'mistake'],
  'ledger list': alone,
  'links archive': async () => [(await newLink()).key],
  'links create': async () => [
    ...['--partner', await newPartner()],
    ...['--url', 'https://shop.example.com/?a=b', '--key', unique('key')],
  ],
  'links delete': async () => [(await newLink()).shortLink],
  'links list': async () => ['--archived', 'all'],
  'links show': async () => [(await newLink()).key],
  'links unarchive': async () => {
    const { key } = await newLink();
    await json('links', 'archive', key);
    return [key];
  },
  'links update': async () => [(await newLink()).shortLink, '--url', 'https://shop.example.com/new'],
  overview: alone,
  'parked attribute': async () => [(await newDelivery()).paymentId, '--partner', await newPartner()],
  'parked list': alone,
  'parked show': async () => [(await newDelivery()).paymentId],
  'partners archive': async () => [await newPartner()],
  'partners create': async () => ['--name', 'Ben', '--email', newEmail(), '--code', unique('CODE')],
  'partners delete': async () => [await newPartner()],
  'partners earnings': async () => [await owe()],
  'partners embed-token': async () => [await newPartner(), '--expires-in', '60'],
  'partners end-portal-access': async () => [await newPartner()],
  'partners list': async () => ['--email', await newPartner()],
  'partners onboarding': async () => [await newOnboarded()],
  'partners onboarding-link': async () => [await newPartner(), '--country', 'DE'],
  'partners portal-link': async () => [await newPartner()],
  'partners show': async () => [await newPartner()],
  'partners unarchive': async () => {
    const email = await newPartner();
    await json('partners', 'archive', email);
    return [email];
  },
  'partners update': async () => [await newPartner(), '--commission', '12.5%', '--tenant-id', unique('tenant')],
  'payouts cancel': async () => [await newPayout()],
  'payouts export': async () => ['--partner', await owe()],
  'payouts file': async () => {
    const { currency } = await newPayable();
    // its rest is the file itself, with the ids of the payouts
    return ['--rail', 'paypal', '--currency', currency, '--out', join(workplace.folder, unique('file'))];
  },
  'payouts file-results': async () => {
    const report = join(workplace.folder, 'report.csv');
    writeFileSync(report, `id,status,reason\r\n${(await newPayable()).payoutId},failed,"No, 7"\r\n`);
    return [report];
  },
  'payouts list': alone,
  'payouts mark-failed': async () => [await newPayout(), '--note', 'wrong IBAN'],
  'payouts mark-paid': async () => [await newPayout()],
  'payouts run': async () => {
    await owe();
    return [];
  },
  'payouts show': async () => [await newPayout()],
  'payouts statement': async () => [await newPayout()],
  'payouts totals': async () => ['--year', '2026'],
  'personal-data': async () => [(await newSale()).customer],
  'programs list': alone,
  'programs show': async () => ['Example Ltd'],
  'programs update': async () => ['Example Ltd', '--minimum-payout', '10EUR', '--duration-months', 'none'],
  'rails list': alone,
  'rails disconnect': async () => {
    await connectStripe();
    return ['stripe'];
  },
  'refunds create': async () => {
    const { invoice } = await newSale();
    return ['--invoice', invoice, '--refund-id', unique('re'), '--amount', '25EUR'];
  },
  'sales approve': async () => [(await newSale()).invoice],
  'sales list': alone,
  'sales reject': async () => [(await newSale()).invoice, '--reason', 'own purchase'],
  'sales show': async () => [(await newSale()).invoice],
  statistics: async () => ['--interval', 'month'],
  whoami: alone,
  // last, because the partners of the other commands rely on a single program
  'programs create': async () => ['--name', unique('program'), '--commission', '5EUR,6USD', '--duration-months', '3'],
  'programs archive': async () => [await newProgram()],
  'programs delete': async () => [await newProgram()],
  'programs unarchive': async () => {
    const name = await newProgram();
    await json('programs', 'archive', name);
    return [name];
  },
};
