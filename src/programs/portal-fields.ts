import { z } from 'zod';
import { bareThemeName, DEFAULT_PORTAL } from '../core/portal.ts';
import { httpUrlField, optional, text, withDefault } from '../schema/fields.ts';

const ORIGINS_MAX = 50;
const THEME_PROPERTIES_MAX = 60;
const THEME_VALUE_MAX = 200;

/** CSS functions that are allowed in theme values. None of them loads a resource. */
const THEME_FUNCTIONS = new Set(
  'oklch oklab lch lab hsl hsla hwb rgb rgba color color-mix light-dark calc min max clamp var'.split(' '),
);

/** A CSS list of font families: plain or in matching quotes, separated by commas. */
const FONT_FAMILIES = /^(?:[A-Za-z_][\w -]*|"[\w -]+"|'[\w -]+')(?:\s*,\s*(?:[A-Za-z_][\w -]*|"[\w -]+"|'[\w -]+'))*$/;

/**
 * An origin that may embed the portal, canonical (`https://app.example.com`). Plain http only for localhost, because
 * every request carries an embed token.
 */
const originField = text()
  .refine((value) => parseOrigin(value) !== null, {
    error: 'must be an origin, for example "https://app.example.com", with http for localhost only',
    when: ({ issues }) => issues.length === 0,
  })
  .overwrite((value) => parseOrigin(value) ?? value)
  .meta({ examples: ['https://app.example.com'] });

const themeProperties = z
  .record(
    z.string().regex(/^(?:--)?[a-z][a-z0-9-]{0,49}$/),
    text(THEME_VALUE_MAX).refine(isThemeValue, { error: ({ input }) => themeValueProblem(String(input)) }),
    { error: 'is not the name of a theme property: lower case, as in "primary-foreground" or "--primary-foreground"' },
  )
  .overwrite(lastOfEachName)
  .refine(
    (properties) => Object.keys(properties).length <= THEME_PROPERTIES_MAX,
    `must have at most ${THEME_PROPERTIES_MAX} properties`,
  )
  .meta({
    description: 'CSS custom properties, with or without their leading dashes; unset ones have defaults.',
    examples: [{ primary: '#0f766e', radius: '0.5rem' }],
  });

const shadcnThemeField = z.object({ light: withDefault(themeProperties, {}), dark: withDefault(themeProperties, {}) });

const themeField = z.object({
  title: optional(text()).describe("The program's name when omitted."),
  description: optional(text(1000)).describe("The program's description when omitted."),
  fontFamily: optional(
    text(200)
      .regex(FONT_FAMILIES, 'must be a list of CSS font families, for example "Inter, sans-serif"')
      .meta({ examples: ['Inter, sans-serif'] }),
  ),
  logoUrl: optional(httpUrlField.meta({ examples: ['https://example.com/logo.svg'] })),
  shadcnTheme: withDefault(shadcnThemeField, DEFAULT_PORTAL.theme.shadcnTheme),
});

/** Every member is optional. By default, all sections are shown and no origin is allowed. */
export const portalField = z
  .object({
    allowedOrigins: withDefault(
      z
        .array(originField)
        .max(ORIGINS_MAX, `must have at most ${ORIGINS_MAX} origins`)
        .overwrite((origins) => [...new Set(origins)]),
      [],
    ).describe('Pages that may embed the portal.'),
    showBranding: withDefault(z.boolean(), DEFAULT_PORTAL.showBranding),
    showEarnings: withDefault(z.boolean(), DEFAULT_PORTAL.showEarnings),
    showPayoutHistory: withDefault(z.boolean(), DEFAULT_PORTAL.showPayoutHistory),
    showReferralLink: withDefault(z.boolean(), DEFAULT_PORTAL.showReferralLink),
    showStats: withDefault(z.boolean(), DEFAULT_PORTAL.showStats),
    theme: withDefault(themeField, DEFAULT_PORTAL.theme),
  })
  .meta({ id: 'PortalInput' });

const propertiesSchema = z
  .record(z.string(), z.string())
  .describe('CSS custom properties, with or without their leading dashes, as they were set.');

/** The two color schemes in responses. */
export const shadcnThemeSchema = z.object({ light: propertiesSchema, dark: propertiesSchema });

/** A program's portal settings in responses to its owner; null for what was not set. */
export const portalSettingsSchema = z
  .object({
    allowedOrigins: z.array(z.string()).describe('Pages that may embed the portal.'),
    showBranding: z.boolean(),
    showEarnings: z.boolean(),
    showPayoutHistory: z.boolean(),
    showReferralLink: z.boolean(),
    showStats: z.boolean(),
    theme: z.object({
      title: z.string().nullable(),
      description: z.string().nullable(),
      fontFamily: z.string().nullable(),
      logoUrl: z.string().nullable(),
      shadcnTheme: shadcnThemeSchema,
    }),
  })
  .meta({ id: 'PortalSettings' });

/** The origin as browsers write it; null for an invalid origin, and for plain http outside localhost. */
function parseOrigin(value: string): string | null {
  const url = URL.parse(value);
  if (url === null || !/^https?:\/\/(?:\[[\da-f:.]+\]|[\p{L}\p{N}._-]+)(?::\d+)?\/?$/iu.test(value)) return null;
  return url.protocol === 'https:' || isLoopback(url.hostname) ? url.origin : null;
}

/** What a theme value must not contain. The error names it for the person who pasted the value. */
const FORBIDDEN_IN_VALUES = /[;{}<>\\@]|\/\*|url\(|expression\(/i;

function themeValueProblem(value: string): string {
  const [found] = FORBIDDEN_IN_VALUES.exec(value) ?? [];
  const problem = 'must be a plain CSS value, for example "#0f766e", "oklch(0.6 0.1 185)" or "0.5rem"';
  return found === undefined ? problem : `${problem}, without ${JSON.stringify(found)}`;
}

/** If a property is given both with and without dashes, the later value wins, as in a style sheet. */
function lastOfEachName(properties: Record<string, string>): Record<string, string> {
  const last = new Map(Object.keys(properties).map((name) => [bareThemeName(name), name]));
  return Object.fromEntries(Object.entries(properties).filter(([name]) => last.get(bareThemeName(name)) === name));
}

/**
 * True when the value is safe after `--name:` in a style sheet: it contains no character that ends a declaration, no
 * comment, and only known functions.
 */
function isThemeValue(value: string): boolean {
  if (!/^[A-Za-z0-9#.,%()/+_ -]+$/.test(value) || !hasBalancedParentheses(value)) return false;
  return [...value.matchAll(/([A-Za-z0-9_-]*)\(/g)].every(([, name = '']) => name === '' || THEME_FUNCTIONS.has(name));
}

function hasBalancedParentheses(value: string): boolean {
  let open = 0;
  for (const character of value) {
    if (character === '(') open += 1;
    else if (character === ')') open -= 1;
    if (open < 0) return false;
  }
  return open === 0;
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
