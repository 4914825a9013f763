import { expect, it } from 'vitest';
import { importFailure } from '../../src/cli/import/import-failure.ts';
import { describeFailure } from '../../src/cli/terminal/failure.ts';
import { notFound, unavailable } from '../../src/errors.ts';

const SENTENCE = 'Stopped. The rows so far were imported.';

it('an import that the database stops says what it has stored, and not only that nothing of the last row was', () => {
  const failure = describeFailure(importFailure(unavailable('The disk is full'), SENTENCE));
  expect(failure.exitCode).toBe(3);
  expect(failure.text).toBe(
    `${SENTENCE}\nThe last row failed: The disk is full. Nothing was recorded; try again shortly.`,
  );
});

it('any other failure of an import stays what it is', () => {
  const error = notFound('program', 'none');
  expect(importFailure(error, SENTENCE)).toBe(error);
});
