import { describe, expect, it } from 'vitest';
import { parseHost } from '../../src/schema/host-field.ts';

describe('a host', () => {
  it.each([
    ['refer.example.com', 'refer.example.com'],
    ['REFER.Example.COM', 'refer.example.com'],
    ['localhost:3000', 'localhost:3000'],
    ['refer.example.com:443', 'refer.example.com'],
    ['refer.example.com:80', 'refer.example.com'],
    ['refer.example.com:8443', 'refer.example.com:8443'],
    ['127.0.0.1:3000', '127.0.0.1:3000'],
    ['[::1]:3000', '[::1]:3000'],
    ['refer.example.com.', 'refer.example.com'],
    ['refer.example.com.:8443', 'refer.example.com:8443'],
    ['bücher.example.com', 'xn--bcher-kva.example.com'],
  ])('%s is compared as %s', (text, host) => {
    expect(parseHost(text)).toBe(host);
  });

  it.each([
    'https://refer.example.com',
    'refer.example.com/path',
    'refer.example.com?x',
    'refer.example.com#x',
    'user@refer.example.com',
    'refer.example.com:99999',
    'refer example.com',
    'refer.example.com\\x',
    '%72efer.example.com',
    ':3000',
    'refer.example.com..',
    '.',
    '',
  ])('%j is not a host', (text) => {
    expect(parseHost(text)).toBeNull();
  });
});
