import { PROCESSORS } from '../../src/core/processor.ts';

/** A folder for each registered processor. */
const REGISTERED = PROCESSORS.map((processor) => `adapters/${processor}`);
/** The registered adapters, plus the template, which only tests may import. */
export const ADAPTERS = [...REGISTERED, 'adapters/TEMPLATE'];

/** What every room may import. */
const GROUND = [
  'src/errors.ts',
  'src/ids.ts',
  'src/clock.ts',
  'src/free-buffer.ts',
  'src/bounded-body.ts',
  'src/thread-source.ts',
  'src/core',
];
/** The part of storage that does not know which engine runs. */
const STORAGE_CONTRACT = [
  'src/storage/changed-rows.ts',
  'src/storage/database.ts',
  'src/storage/in-steps.ts',
  'src/storage/list-filters.ts',
  'src/storage/many-ids.ts',
  'src/storage/many-rows.ts',
  'src/storage/conditions',
];
const SUBJECT_MAY = [...GROUND, ...STORAGE_CONTRACT, 'src/schema', 'src/app'];
/** A folder for each way to pay partners. */
const RAILS = ['src/rails/paypal', 'src/rails/sepa', 'src/rails/stripe', 'src/rails/wise'];

/** The subjects, from the lowest to the highest, each with the subjects whose use cases it may call. */
const SUBJECTS: Record<string, readonly string[]> = {
  // any subject may record an event
  'src/events': [],
  'src/programs': ['src/events', 'src/rails'],
  'src/accounts': ['src/programs'],
  'src/results': [],
  'src/links': ['src/events', 'src/programs', 'src/results'],
  'src/payouts': ['src/events', 'src/accounts', 'src/programs', 'src/rails'],
  'src/ledger': ['src/events', 'src/programs', 'src/payouts'],
  'src/inbox': ['src/events', 'src/accounts'],
  'src/payments': ['src/events', 'src/ledger', 'src/links', 'src/inbox', 'src/programs', 'src/results'],
  'src/deliveries': ['src/payments', 'src/inbox', 'src/programs', 'adapters/contract', 'adapters/settings.ts'],
  // stores what a processor's API lists and what was not delivered
  'src/reconciliation': [
    'src/deliveries',
    // a dry run finds the customer of an earlier delivery again
    'src/payments',
    'adapters/contract',
    'adapters/settings.ts',
    'adapters/guides.ts',
  ],
  'src/privacy': [
    'src/events',
    'src/payouts',
    'src/payments',
    'src/inbox',
    'src/links',
    'src/ledger',
    'src/programs',
    'src/accounts',
    // a running import may name the person
    'src/exchange',
  ],
  'src/portal': [
    'src/accounts',
    'src/rails',
    'src/programs',
    'src/links',
    'src/results',
    'src/payments',
    'src/ledger',
    'src/payouts',
  ],
  // answers the clients of other products through the subjects' use cases
  'src/compat': ['src/programs', 'src/links', 'src/payments', 'src/payouts'],
  'src/audit': ['src/payments'],
  // reads the tables of every subject, but calls none of them
  'src/overview': ['src/results'],
  'src/exchange': [
    'src/payments',
    'src/ledger',
    'src/payouts',
    'src/links',
    'src/programs',
    'src/accounts',
    // an export names the release that wrote it
    'package.json',
  ],
  // deletes from the tables of every subject, but calls none of them
  'src/removal': ['src/rails/contract', 'src/rails/forms.ts'],
  // encrypts values in the tables of every subject, but calls none of them
  'src/sealing': [],
};

/** What each room may import besides itself: files and folders. */
export const ROOMS: Record<string, readonly string[]> = {
  'src/errors.ts': [],
  'src/ids.ts': ['src/clock.ts', 'src/core/ids.ts'],
  'src/clock.ts': [],
  'src/thread-source.ts': [],
  'src/bounded-body.ts': [],
  'src/core': [],
  // an adapter declares its settings with the same fields as every other input
  'adapters/contract': ['src/core', 'src/schema'],
  // the errors of requests to a processor's API
  'adapters/contract/backfill.ts': ['src/errors.ts'],
  'adapters/contract/api-call.ts': ['src/core', 'src/errors.ts', 'src/bounded-body.ts', 'adapters/contract'],
  ...Object.fromEntries(ADAPTERS.map((folder) => [folder, ['adapters/contract', 'src/core', 'src/errors.ts']])),
  'adapters/settings.ts': [...REGISTERED.map((folder) => `${folder}/settings.ts`), 'adapters/contract', 'src/core'],
  'adapters/guides.ts': [...REGISTERED.map((folder) => `${folder}/guide.ts`), 'adapters/contract/guide.ts', 'src/core'],
  'adapters/index.ts': [...REGISTERED, 'adapters/contract', 'src/core'],
  'src/schema': ['src/core', 'src/errors.ts'],
  // a rail declares its details with the same fields as every other input
  'src/rails/contract': ['src/core', 'src/schema'],
  ...Object.fromEntries(RAILS.map((folder) => [folder, ['src/rails/contract', 'src/core']])),
  // the errors of requests to a provider's API
  'src/rails/stripe/client.ts': ['src/rails/stripe', 'src/rails/contract', 'src/core', 'src/errors.ts'],
  'src/rails/stripe/request.ts': ['src/rails/stripe', 'src/rails/contract', 'src/core', 'src/bounded-body.ts'],
  'src/rails/forms.ts': [...RAILS.map((folder) => `${folder}/form.ts`), 'src/rails/contract'],
  'src/rails/index.ts': [...RAILS, 'src/rails/contract'],
  'src/storage': GROUND,
  'src/app': [...GROUND, 'src/schema', 'adapters/contract', 'src/storage'],
  ...Object.fromEntries(Object.entries(SUBJECTS).map(([subject, below]) => [subject, [...SUBJECT_MAY, ...below]])),
  'src/http': [...GROUND, 'src/schema', 'src/app', ...Object.keys(SUBJECTS), 'package.json'],
  'src/process': [
    ...GROUND,
    'src/app',
    'src/storage/open.ts',
    'src/storage/sqlite/lock.ts',
    'src/storage/sqlite/old-log.ts',
    'src/storage/sqlite/owner.ts',
  ],
  'src/thread': [...GROUND, 'src/app/service.ts', 'src/deliveries', 'src/storage', 'adapters/index.ts'],
  'src/open-service.ts': [
    ...GROUND,
    'src/app',
    'src/process',
    'src/storage/open.ts',
    ...Object.keys(SUBJECTS),
    'adapters/index.ts',
  ],
  'src/main.ts': ['src', 'adapters/index.ts'],
  'src/jobs.ts': [...GROUND, 'src/app', 'src/process', ...Object.keys(SUBJECTS)],
  'src/server.ts': ['src/main.ts', 'src/process'],
  'src/cli': [
    ...GROUND,
    ...Object.keys(SUBJECTS),
    'src/schema',
    'src/app',
    'src/process',
    'src/open-service.ts',
    'src/main.ts',
    'src/client/api-types.ts',
    'src/client/api-paths.ts',
    'adapters/contract',
    'adapters/guides.ts',
    'adapters/index.ts',
    'package.json',
  ],
  // runs on customers' servers and pages, so it must not import anything from the server
  'src/client': [],
  // the only part of it that needs Node's modules; it is imported separately
  'src/client/file-queue.ts': ['src/client'],
  'src/middleware': ['src/client'],
  'src/better-auth': ['src/client', 'src/middleware'],
  'src/web': [],
  // shared by both pages: the client's types, and the exponents of currencies, which are defined once
  'src/web/parts': ['src/client/api-types.ts', 'src/client/api-paths.ts', 'src/core/money.ts'],
  // and how each processor is connected, which its folder describes
  'src/web/dashboard': [
    'src/web/parts',
    'src/client/api-types.ts',
    'adapters/guides.ts',
    'src/rails/forms.ts',
    'src/exchange/sources/forms.ts',
    'src/core/code-list.ts',
    'src/core/csv.ts',
    'src/rails/contract/form.ts',
  ],
  'src/web/portal': ['src/web/parts', 'src/client/api-types.ts', 'src/rails/forms.ts', 'src/rails/contract/form.ts'],
};

/** Exceptions to the rules, each with its reason; an unused one fails the test. */
export const ALLOWED = new Map([
  ['src/http/errors.ts → src/storage/database.ts', 'a failure of the engine becomes 503 where errors become answers'],
  [
    'src/cli/commands/backup.ts → src/storage/sqlite/backup.ts',
    'copies the file whole: it is about the engine, not about a subject',
  ],
  ['src/audit/entry.ts → src/storage/open.ts', 'an audit on a thread of its own has connections of its own'],
  ['src/audit/entry.ts → src/storage/sqlite/cache.ts', 'with a page cache for the order in which it reads'],
  ['adapters/stripe/webhooks.ts → node:module', 'loads a part of the package, whose entry loads everything'],
  ['adapters/shopify/webhooks.ts → node:module', 'loads a part of the package, whose entry loads everything'],
  ['adapters/paddle/webhooks.ts → node:module', 'loads a part of the package, whose entry loads everything'],
  ['adapters/stripe/backfill-client.ts → node:module', 'loads the form of the package that takes less time'],
  ['adapters/paddle/backfill.ts → node:module', 'loads the form of the package that takes less time and memory'],
]);

/** Files that may exceed the length limit, each with its reason. */
export const LONG_FILES = new Map([
  ['test/web/dashboard/first-hour.test.ts', 'one story'],
  ['test/e2e/specification.test.ts', 'the specification, section by section, to be read beside it'],
]);
