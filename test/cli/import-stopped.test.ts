import { expect, it } from 'vitest';
import { stoppedSentence } from '../../src/cli/import/stopped.ts';

it('an import that is stopped says what it has stored, and with which command it continues', () => {
  const of = (options: { dryRun?: true; report?: string }) => stoppedSentence('The rows so far', options);
  expect(of({})).toBe('Stopped. The rows so far were imported; run the same command again to continue.');
  expect(of({ report: 'report.csv' })).toBe(
    'Stopped. The rows so far were imported; run the same command again, with a new file for --report, to continue.',
  );
  expect(of({ dryRun: true, report: 'report.csv' })).toBe('Stopped. It was a dry run: nothing was stored.');
});
