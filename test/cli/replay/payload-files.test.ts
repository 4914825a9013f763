import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import shopify from '../../../adapters/shopify/index.ts';
import stripe from '../../../adapters/stripe/index.ts';
import { readPayloads } from '../../../src/cli/replay/payload-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'refbridge-payloads-'));
mkdirSync(join(folder, 'deep/er'), { recursive: true });
mkdirSync(join(folder, 'empty'));
for (const name of ['b.json', 'a.json', 'a.expected.json', 'notes.md', 'deep/er/orders_paid--renewal.json']) {
  writeFileSync(join(folder, name), '{}');
}
afterAll(() => rmSync(folder, { recursive: true }));

describe('the payloads of a replay', () => {
  it('are the *.json files of a folder and its subfolders, sorted, without expectations', () => {
    const files = readPayloads([folder], stripe).map(({ file }) => relative(folder, file));
    expect(files).toEqual(['a.json', 'b.json', 'deep/er/orders_paid--renewal.json']);
  });

  it('keep the order in which they were given; a given file is used whatever its name', () => {
    const paths = [join(folder, 'b.json'), join(folder, 'notes.md')];
    expect(readPayloads(paths, stripe).map(({ file }) => file)).toEqual(paths);
  });

  it("get their event from the file name, in the processor's spelling, or none when the name is not an event", () => {
    const file = join(folder, 'deep/er/orders_paid--renewal.json');
    expect(readPayloads([file], shopify)[0]?.eventType).toBe('orders/paid');
    expect(readPayloads([file], shopify, 'orders/updated')[0]?.eventType).toBe('orders/updated');
    expect(readPayloads([join(folder, 'a.json')], shopify)[0]?.eventType).toBeUndefined();
    expect(readPayloads([file], stripe)[0]?.eventType).toBe('orders_paid');
  });

  it('are refused when there are none', () => {
    expect(() => readPayloads([join(folder, 'c.json')], stripe)).toThrow('There is no file or folder');
    expect(() => readPayloads([join(folder, 'empty')], stripe)).toThrow('There are no *.json');
  });
});
