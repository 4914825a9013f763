import { PROCESSORS } from '../../src/core/processor.ts';

/** A folder for each processor. */
export const ADAPTERS = PROCESSORS.map((processor) => `adapters/${processor}`);

/** What everything stands on. */
const GROUND = ['src/errors.ts', 'src/ids.ts', 'src/clock.ts', 'src/core'];
/** The part of storage that does not know which engine runs. */
const STORAGE_CONTRACT = [
  'src/storage/database.ts',
  'src/storage/list-filters.ts',
  'src/storage/many-rows.ts',
  'src/storage/conditions',
];
const SUBJECT_MAY = [...GROUND, ...STORAGE_CONTRACT, 'src/app'];

/** The subjects, from the lowest to the highest, each with the subjects whose use cases it may call. */
const SUBJECTS: Record<string, readonly string[]> = {
  'src/programs': [],
  'src/accounts': ['src/programs'],
  'src/links': ['src/programs'],
  'src/payouts': ['src/accounts'],
  'src/ledger': ['src/programs', 'src/payouts'],
  'src/inbox': ['src/accounts'],
  'src/payments': ['src/ledger', 'src/inbox'],
  'src/deliveries': ['src/payments', 'src/inbox', 'src/programs', 'adapters/contract'],
  'src/audit': ['src/payments'],
};

/** What each room may import besides itself; files and folders. */
export const ROOMS: Record<string, readonly string[]> = {
  'src/errors.ts': [],
  'src/ids.ts': ['src/clock.ts'],
  'src/clock.ts': [],
  'src/core': [],
  'adapters/contract': ['src/core'],
  ...Object.fromEntries(ADAPTERS.map((folder) => [folder, ['adapters/contract', 'src/core', 'src/errors.ts']])),
  'adapters/index.ts': [...ADAPTERS, 'adapters/contract', 'src/core'],
  'src/storage': GROUND,
  'src/app': [...GROUND, 'adapters/contract', 'src/storage'],
  ...Object.fromEntries(Object.entries(SUBJECTS).map(([subject, below]) => [subject, [...SUBJECT_MAY, ...below]])),
  'src/http': [...GROUND, 'src/app', ...Object.keys(SUBJECTS)],
  'src/process': [...GROUND, 'src/app', 'src/storage/open.ts'],
  'src/thread': [...GROUND, 'src/deliveries', 'src/storage'],
  'src/main.ts': ['src', 'adapters/index.ts'],
  'src/cli': [
    ...GROUND,
    ...Object.keys(SUBJECTS),
    'src/app',
    'src/process',
    'src/main.ts',
    'adapters/contract',
    'adapters/index.ts',
    'package.json',
  ],
  // what runs at the customer's: nothing of the server comes along
  'src/client': [],
  'src/middleware': ['src/client'],
  'src/web': [],
};

/** Single imports that pass a rule, each with its reason; one that is not needed any more fails. */
export const ALLOWED = new Map([
  ['src/http/errors.ts → src/storage/database.ts', 'a failure of the engine becomes 503 where errors become answers'],
  [
    'src/cli/commands/backup.ts → src/storage/sqlite/backup.ts',
    'copies the file whole: it is about the engine, not about a subject',
  ],
  [
    'src/deliveries/queries/endpoint-settings.ts → adapters/contract/adapter.ts',
    'the row holds what the contract calls settings',
  ],
]);
