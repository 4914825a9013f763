import { describe, expect, it } from 'vitest';
import { DEFAULT_PORTAL } from '../../src/core/portal.ts';
import { portalField } from '../../src/programs/portal-fields.ts';
import { parseInput } from '../../src/schema/parse.ts';

const withTheme = (theme: object) => parseInput(portalField, { theme }).theme;
const withLight = (light: object) => withTheme({ shadcnTheme: { light } }).shadcnTheme.light;

describe('the portal of a program', () => {
  it('shows every section and allows no origin by default', () => {
    expect(parseInput(portalField, {})).toEqual(DEFAULT_PORTAL);
    expect(parseInput(portalField, { theme: null, showStats: null })).toEqual(DEFAULT_PORTAL);
  });

  it.each([
    ['https://app.example.com', 'https://app.example.com'],
    ['https://APP.example.com/', 'https://app.example.com'],
    ['https://app.example.com:443', 'https://app.example.com'],
    ['https://app.example.com:8443', 'https://app.example.com:8443'],
    ['http://localhost:5173', 'http://localhost:5173'],
    ['http://app.localhost', 'http://app.localhost'],
    ['http://127.0.0.1:5173', 'http://127.0.0.1:5173'],
    ['http://[::1]:5173', 'http://[::1]:5173'],
  ])('may be embedded at %s, which browsers write as %s', (written, origin) => {
    expect(parseInput(portalField, { allowedOrigins: [written, written] }).allowedOrigins).toEqual([origin]);
  });

  it.each([
    'http://app.example.com',
    'http://localhost.example.com',
    'https://app.example.com/path',
    'https://app.example.com?x=1',
    'https://app.example.com#x',
    'https://user:pass@app.example.com',
    'https://*.example.com',
    '*',
    'null',
    'app.example.com',
    'file:///etc',
    'javascript:alert(1)',
    'https://',
    'https://app.example.com,',
    'https://a.example.com;b.example.com',
    "https://app.example.com'",
  ])('may not be embedded at %s', (origin) => {
    expect(() => parseInput(portalField, { allowedOrigins: [origin] })).toThrow('allowedOrigins.0: must be an origin');
  });

  it.each(['#0f766e', 'oklch(0.6 0.118 184.7)', 'hsl(173 80% 26% / 0.5)', '0.625rem', 'calc(var(--radius) - 4px)'])(
    'accepts %s as a color or size',
    (value) => {
      expect(withLight({ primary: value })).toEqual({ primary: value });
    },
  );

  it.each([
    'red; background: blue',
    'red}',
    '{red',
    '</style><script>',
    'url(https://evil.example.com/x.png)',
    'URL(x)',
    'image-set(x)',
    'expression(alert(1))',
    'var(--x',
    'red)',
    ')(',
    '/* x */',
    'red\\3b',
    '"open',
    '@import x',
    'a\nb',
    'x'.repeat(201),
    '',
  ])('refuses %j, which could be more than a CSS value', (value) => {
    expect(() => withLight({ primary: value })).toThrow('theme.shadcnTheme.light.primary: ');
  });

  it.each(['-primary', '---primary', '--', 'Primary', 'primary color', 'a:b', 'x;y', '', 'a'.repeat(51)])(
    'refuses %j as the name of a property',
    (name) => {
      expect(() => withLight({ [name]: 'red' })).toThrow('is not the name of a theme property');
    },
  );

  it('keeps names with and without leading dashes as given; of duplicates, the later one counts', () => {
    const light = { '--primary': 'red', ring: 'blue', '--chart-1': '222 47% 11%' };
    expect(withLight(light)).toEqual(light);
    expect(withLight({ '--primary': 'red', primary: 'blue' })).toEqual({ primary: 'blue' });
    expect(withLight({ primary: 'blue', '--primary': 'red' })).toEqual({ '--primary': 'red' });
  });

  it.each([';', '{', '}', '<', '>', '\\', '@', 'url(', 'expression(', '/*'])('reports that a value has %j', (found) => {
    expect(() => withLight({ '--primary': `red ${found} blue` })).toThrow(`, without ${JSON.stringify(found)}`);
  });

  it('limits the number of theme properties', () => {
    const many = Object.fromEntries(Array.from({ length: 61 }, (_, index) => [`--p${index}`, 'red']));
    expect(() => withLight(many)).toThrow('theme.shadcnTheme.light: must have at most 60 properties');
    const { '--p60': _, ...sixty } = many;
    expect(withLight(sixty)).toEqual(sixty);
  });

  it.each(['Inter', 'Inter, "Helvetica Neue", sans-serif', "'Open Sans', system-ui"])(
    'accepts %s as its font',
    (fontFamily) => {
      expect(withTheme({ fontFamily }).fontFamily).toBe(fontFamily);
    },
  );

  it.each(['Inter; color: red', '"Inter', 'Inter, ', 'url(x)', 'Inter}', '"In"ter"'])(
    'refuses %j as its font',
    (fontFamily) => {
      expect(() => withTheme({ fontFamily })).toThrow('theme.fontFamily: must be a list of CSS font families');
    },
  );

  it('accepts a logo only from an http address', () => {
    expect(withTheme({ logoUrl: 'https://example.com/logo.svg' }).logoUrl).toBe('https://example.com/logo.svg');
    expect(() => withTheme({ logoUrl: 'javascript:alert(1)' })).toThrow('theme.logoUrl: must be an absolute http');
    expect(() => withTheme({ logoUrl: 'data:image/svg+xml,x' })).toThrow('theme.logoUrl: must be an absolute http');
  });

  it('names every problem at once', () => {
    const portal = { allowedOrigins: ['x', 'https://ok.example.com', '*'], showStats: 'yes', theme: { logoUrl: 'x' } };
    expect(() => parseInput(portalField, portal)).toThrow(
      /allowedOrigins\.0: .*allowedOrigins\.2: .*showStats: must be a boolean.*theme\.logoUrl: /,
    );
  });
});
