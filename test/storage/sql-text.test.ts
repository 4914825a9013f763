import { describe, expect, it } from 'vitest';
import {
  statementsOf,
  toNumberedSql,
  toPositionalSql,
  valuesFor,
  withSqliteClauses,
} from '../../src/storage/sql-text.ts';

describe('the statements of a script', () => {
  it.each([
    ['are separated by semicolons, the last one with or without', 'A;\nB ;C', ['A', 'B', 'C']],
    ['keep semicolons in literals', "SELECT 'a;b', 'it''s;' ; B;", ["SELECT 'a;b', 'it''s;'", 'B']],
    ['keep semicolons in quoted names', 'SELECT "a;b""c;" FROM t; B', ['SELECT "a;b""c;" FROM t', 'B']],
    [
      'keep semicolons and quotes in comments',
      "-- it's one;\nA; /* it's; \n two; */ B;",
      ["-- it's one;\nA", "/* it's; \n two; */ B"],
    ],
    [
      'keep clauses that only SQLite sees',
      'CREATE TABLE t (a) /* sqlite: WITHOUT ROWID */;',
      ['CREATE TABLE t (a) /* sqlite: WITHOUT ROWID */'],
    ],
    ['are not comments alone, nor nothing', '-- first;\n;; A; -- the end; \n/* really; */', ['A']],
    ['of nothing are none', '', []],
  ])('%s', (_, script, statements) => {
    expect(statementsOf(script)).toEqual(statements);
  });
});

describe('what only SQLite sees', () => {
  it('is a clause of a statement, or whole statements', () => {
    const script =
      'CREATE TABLE t (a) /* sqlite: WITHOUT ROWID */;\n/* sqlite:\n-- of its own\nA; B\n*/;\n/* both */ C;';
    expect(statementsOf(withSqliteClauses(script))).toEqual([
      'CREATE TABLE t (a) WITHOUT ROWID',
      '-- of its own\nA',
      'B',
      '/* both */ C',
    ]);
    expect(statementsOf(script)).toEqual([
      'CREATE TABLE t (a) /* sqlite: WITHOUT ROWID */',
      expect.stringContaining('C'),
    ]);
  });
});

describe('SQL text', () => {
  it('gives a repeated parameter one number on PostgreSQL and two positions on SQLite', () => {
    const sql = 'SELECT @a, @b_2, @a';
    expect(toNumberedSql(sql)).toEqual({ text: 'SELECT $1, $2, $1', names: ['a', 'b_2'] });
    expect(toPositionalSql(sql)).toEqual({ text: 'SELECT +?, +?, +?', names: ['a', 'b_2', 'a'] });
  });

  it.each([
    ["a literal with an address in it, and a doubled quote: 'it''s ann@example.com'"],
    ['a quoted "na@me" and "a ""quoted"" @one"'],
    ['-- a comment about @nothing\nSELECT 1'],
    ['/* a comment\n about @nothing */ SELECT 1'],
    ['jsonb @> value, @@ 5, x@ 1'],
  ])('finds no parameter in %s', (sql) => {
    expect(toNumberedSql(sql)).toEqual({ text: sql, names: [] });
    expect(toPositionalSql(sql)).toEqual({ text: sql, names: [] });
  });

  it('finds the parameter after a literal and a comment', () => {
    expect(toNumberedSql("SELECT '@a' /* @b */ -- @c\n, @d")).toEqual({
      text: "SELECT '@a' /* @b */ -- @c\n, $1",
      names: ['d'],
    });
  });

  it('refuses a missing parameter, by name', () => {
    expect(() => valuesFor(['account_id'], { accountId: 'acc_1' })).toThrow('@account_id is missing');
  });

  it.each([0.1, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])('refuses %d, which is not a safe integer', (amount) => {
    expect(() => valuesFor(['amount'], { amount })).toThrow('not a safe integer');
  });

  it('orders the values by name and ignores those that the text does not name', () => {
    expect(valuesFor(['b', 'a', 'b'], { a: 1, b: null, c: 'unused' })).toEqual([null, 1, null]);
  });
});
