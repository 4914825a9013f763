import { expect, it } from 'vitest';
import { problemsOfCsv } from '../../src/exchange/jobs/resources.ts';
import { portalField } from '../../src/programs/portal-fields.ts';
import { parseInput } from '../../src/schema/parse.ts';

/** A pattern that tries every character as a beginning takes hours for it. */
const LONG = 'x'.repeat(1_000_000);

it.each([
  ['font family', { fontFamily: `x${' '.repeat(1_000_000)}!` }, 'theme.fontFamily'],
  ['theme value', { shadcnTheme: { light: { primary: LONG } } }, 'theme.shadcnTheme.light.primary'],
])('a %s that is far too long is refused at once', (_, theme, path) => {
  expect(() => parseInput(portalField, { theme })).toThrow(`${path}: must have at most 200 characters`);
});

it('the reason why a row was refused, which may quote a very long cell, is masked at once, and kept in part', () => {
  const reason = `status: "${LONG}" of ana@example.com`;
  const imported = { kind: 'sales', problems: [{ line: 2, key: '', reason }], leftOutRows: [] };
  const { refusedRows } = problemsOfCsv(imported as unknown as Parameters<typeof problemsOfCsv>[0]);
  expect(refusedRows[0]?.reason).toMatch(/^status: "x{400,490}…$/);
});
