import { parse } from 'pg-connection-string';
import { expect, it } from 'vitest';
import { addressOf, connectionProblem, withSettings } from '../../../src/storage/postgres/address.ts';

const ADDRESS = 'postgres://refbridge:pa%2F55@db.example.com/refbridge';

it.each([
  // as pg's current version takes them, without its warning
  ['?sslmode=require', '?sslmode=verify-full'],
  ['?sslmode=prefer&application_name=a', '?sslmode=verify-full&application_name=a'],
  ['?sslmode=verify-ca&sslrootcert=/a.pem', '?sslmode=verify-full&sslrootcert=/a.pem'],
  ['?uselibpqcompat=true&sslmode=require', '?uselibpqcompat=true&sslmode=require'],
  ['?sslmode=allow', '?sslmode=verify-full'],
  ['?sslmode=disable', '?sslmode=disable'],
  ['?sslmode=no-verify', '?sslmode=no-verify'],
  ['?ssl=1', '?ssl=true'],
  ['?ssl=false', '?ssl=0'],
  ['?ssl=no-verify', '?ssl=no-verify'],
  ['?pgbouncer=true&ssl=true', '?ssl=true'],
  ['', ''],
])('reads what %s says about encryption', (given, expected) => {
  expect(addressOf(ADDRESS + given).connectionString).toBe(ADDRESS + expected);
});

it.each([
  ['', ''],
  ['?application_name=a', ''],
  ['?options=-c%20search_path%3Dshop&application_name=a', '-c search_path=shop '],
  ['?options=-c search_path=shop', '-c search_path=shop '],
])('sets its own settings after the options of %s', (given, own) => {
  const settings = '-c jit=off -c default_transaction_isolation=read\\ committed -c synchronous_commit=off';
  expect(parse(withSettings(addressOf(ADDRESS + given), ['synchronous_commit=off'])).options).toBe(own + settings);
});

it('says where to set what a pooler refuses, where the address names the pooler already', () => {
  const refusal = new Error('unsupported startup parameter in options: search_path');
  expect(connectionProblem(refusal).message).toContain('Add ?pgbouncer=true');
  const { message } = connectionProblem(refusal, { isPooled: true });
  expect(message).toContain('refuses a setting: unsupported startup parameter in options: search_path. Remove it');
  expect(message).not.toContain('Add');
});

it.each(['ssl=tru', 'ssl=', 'sslmode=requir'])('refuses %s, and names it without the password', (parameter) => {
  const read = () => addressOf(`${ADDRESS}?${parameter}`);
  expect(read).toThrow(`has ${parameter}, which is not known: write sslmode=verify-full`);
  expect(read).not.toThrow('pa%2F55');
});
