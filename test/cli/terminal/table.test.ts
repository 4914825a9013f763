import { describe, expect, it } from 'vitest';
import { formatRecord, formatTable } from '../../../src/cli/terminal/table.ts';

describe('output for people', () => {
  it('has columns: text to the left, numbers to the right, nothing for null', () => {
    expect(
      formatTable(
        ['name', 'sales'],
        [
          ['Ana', 7],
          [null, 1200],
        ],
      ),
    ).toBe('name  sales\nAna       7\n       1200');
  });

  it('lets no control character from stored text reach the terminal', () => {
    expect(formatTable(['name'], [['Ana\u001b[31m\n']])).toBe('name\nAna·[31m·');
    expect(formatRecord({ name: 'Ana\u0007' })).toBe('name  Ana·');
  });

  it('shows a record member by member, with nested values as JSON', () => {
    expect(formatRecord({ id: 'ptr_1', codes: ['A'], tenantId: null })).toBe(
      'id        ptr_1\ncodes     ["A"]\ntenantId',
    );
  });

  it('shows times to the minute, without a time zone', () => {
    expect(formatTable(['when'], [['2026-07-16T10:00:07.000Z']])).toBe('when\n2026-07-16 10:00');
  });

  it('fits a terminal: shortens ids except the first, then the widest column, but no number', () => {
    const id = (kind: string) => `${kind}_0199d3f2a5b17c4e9d2f3a6b8c1d3f9a`;
    const rows = [[id('sal'), id('inv'), 'A rather long name of a customer, longer than others', 123456789, 'paid']];
    const headings = ['id', 'invoice', 'customer', 'count', 'state'];
    expect(formatTable(headings, rows)).toContain(id('inv'));
    const lines = formatTable(headings, rows, 100).split('\n');
    expect(lines[1]).toMatch(new RegExp(`^${id('sal')}  inv_…1d3f9a  A rather .*…  123456789  paid$`));
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
    expect(formatTable(headings, rows, 40)).toContain('123456789');
  });
});
