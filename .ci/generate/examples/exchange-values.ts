import { EXAMPLE_IDS } from './ids.ts';

const COUNTS = { created: 38, changed: 0, unchanged: 4, refused: 1 };
const FILE = { bytes: 2_048, receivedBytes: 2_048 };
const CREATED_BY = { id: EXAMPLE_IDS.operator, name: 'Olga Owner' };

/** Examples of imports and exports. */
export const EXCHANGE = {
  'createImport.fileBytes': 2_048,
  'createImport.columns': { 'Referral slug': 'key' },
  'createImport.from': 'Rewardful',
  'ImportInput.settings': { kind: 'links', fileBytes: 2_048, columns: { 'Referral slug': 'key' } },
  'Import.kind': 'links',
  'ImportDetail.kind': 'links',
  'Import.source': 'csv',
  'ImportDetail.source': 'csv',
  'Import.status': 'completed',
  'ImportDetail.status': 'completed',
  'Import.file': FILE,
  'ImportDetail.file': FILE,
  progress: { rows: 43, share: 1 },
  counts: { ...COUNTS, leftOut: 0 },
  byKind: [{ kind: 'links', ...COUNTS }],
  ignoredColumns: ['Notes'],
  'Import.attempts': 1,
  'ImportDetail.attempts': 1,
  'Import.error': null,
  'ImportDetail.error': null,
  refusedRows: [{ line: 17, kind: 'links', id: null, reason: 'key: "ana" is the link of another partner' }],
  leftOutRows: [],
  startedAt: '2026-07-16T11:00:01.000Z',
  'Import.endedAt': '2026-07-16T11:00:04.000Z',
  'ImportDetail.endedAt': '2026-07-16T11:00:04.000Z',
  expiresAt: '2026-07-17T11:00:00.000Z',
  downloadedAt: '2026-07-16T11:00:09.000Z',
  'Import.createdBy': CREATED_BY,
  'ImportDetail.createdBy': CREATED_BY,
  'Export.createdBy': CREATED_BY,
  'Import.id': EXAMPLE_IDS.import,
  'ImportDetail.id': EXAMPLE_IDS.import,
  'Export.id': EXAMPLE_IDS.export,
  downloads: 1,
  'Export.rows': 18_204,
};
