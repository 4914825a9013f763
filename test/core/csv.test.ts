import fc from 'fast-check';
import { expect, it } from 'vitest';
import { csvLine, parseCsv, unmarkedText } from '../../src/core/csv.ts';
import { rounds } from '../helpers/rounds.ts';

it('a line separates its cells by commas and ends as RFC 4180 demands', () => {
  expect(csvLine(['pay_1', 'Ada Example', 12, null, ''])).toBe('pay_1,Ada Example,12,,\r\n');
});

it.each([
  ['a comma, b', '"a comma, b"'],
  ['a "quote"', '"a ""quote"""'],
  ['two\nlines', '"two\nlines"'],
  ['semi;colon', '"semi;colon"'],
])('%j is quoted', (cell, text) => {
  expect(csvLine([cell])).toBe(`${text}\r\n`);
});

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '＝1', '＋1', '－1', '＠x'])(
  '%j is text for a spreadsheet, not a formula',
  (cell) => {
    expect(csvLine([cell])).toBe(`"'${cell}"\r\n`);
  },
);

it.each([
  ['Ana;=1+1;', `"Ana;'=1+1;"`],
  ['Ana\n=1+1', `"Ana\n'=1+1"`],
  ['Ana\t@x', `"Ana\t'@x"`],
  ['Ana;"=1+1;', `"Ana;'""=1+1;"`],
  ['a-b; c=d', '"a-b; c=d"'],
  ["Ana;'=1", `"Ana;''=1"`],
  ['\t=1', `"'\t'=1"`],
  ['\r=1', `"'\r'=1"`],
])('%j is no formula for a spreadsheet that separates by semicolons or tabs either', (cell, text) => {
  expect(csvLine(['ptr_1', cell])).toBe(`ptr_1,${text}\r\n`);
});

it.each(['=1+1', '-1', '@Ana', '＋1', 'Ana;=1+1;', 'Ana\n=1+1', 'Ana;"=1+1;', "O'Hara", "'quoted'", 'a-b; c=d'])(
  '%j is read back without the apostrophes before formulas',
  (cell) => {
    const [, line] = parseCsv(csvLine(['id', 'name']) + csvLine(['ptr_1', cell]));
    expect(unmarkedText(line?.[1] ?? '')).toBe(cell);
  },
);

it('any text is read back as it was', () => {
  const text = fc.string({ unit: fc.constantFrom("'", '"', '=', '-', ';', ',', '\t', '\n', '\r', 'a', '＠') });
  fc.assert(
    fc.property(text, (cell) => {
      const [, line] = parseCsv(csvLine(['id', 'name']) + csvLine(['ptr_1', cell]));
      expect(unmarkedText(line?.[1] ?? '')).toBe(cell);
    }),
    { numRuns: rounds(2_000) },
  );
});

it('a formula that tries to break out of its quotes stays in its cell', () => {
  expect(csvLine(['=HYPERLINK("https://example.com","pay")', 'x'])).toBe(
    `"'=HYPERLINK(""https://example.com"",""pay"")",x\r\n`,
  );
});

it('a negative number is a number', () => {
  expect(csvLine([-5])).toBe('-5\r\n');
});

it.each([',', ';', '\t'])('lines whose cells %j separates are read', (separator) => {
  const lines = [
    ['id', 'status', 'reason'],
    ['P2', 'failed', '"closed, or ""moved""; see\tnote"'],
  ];
  expect(parseCsv(lines.map((cells) => cells.join(separator)).join('\r\n'))).toEqual([
    ['id', 'status', 'reason'],
    ['P2', 'failed', 'closed, or "moved"; see\tnote'],
  ]);
});

it.each([
  ['P1,failed,"AC04\nP2,paid,\n', ['P1', 'failed', '"AC04'], ['P2', 'paid', '']],
  ['P1,failed,"AC04\nP2,paid,"x"', ['P1', 'failed', '"AC04'], ['P2', 'paid', 'x']],
])('a quote that no other one closes swallows no lines: %j', (text, ...rows) => {
  expect(parseCsv(text)).toEqual(rows);
});
