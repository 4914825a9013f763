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

  it('passes no control character from stored text to the terminal', () => {
    expect(formatTable(['name'], [['Ana\u001b[31m\n']])).toBe('name\nAna·[31m·');
    expect(formatRecord({ name: 'Ana\u0007' })).toBe('name  Ana·');
  });

  it('shows a record member by member, with nested values as JSON', () => {
    expect(formatRecord({ id: 'ptr_1', codes: ['A'], tenantId: null })).toBe(
      'id        ptr_1\ncodes     ["A"]\ntenantId',
    );
  });
});
