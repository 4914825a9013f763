import { z } from 'zod';
import { httpUrlField, optional, text, withDefault } from '../app/fields.ts';
import { DEFAULT_PORTAL } from '../core/portal.ts';

const ORIGINS_MAX = 50;
const THEME_PROPERTIES_MAX = 100;
const THEME_VALUE_MAX = 200;

/** CSS functions that a theme value may call: none of them loads anything. */
const THEME_FUNCTIONS = new Set(
  'oklch oklab lch lab hsl hsla hwb rgb rgba color color-mix light-dark calc min max clamp var'.split(' '),
);

/** Font families as CSS lists them: plain or in matching quotes, with commas between. */
const FONT_FAMILIES = /^(?:[A-Za-z_][\w -]*|"[\w -]+"|'[\w -]+')(?:\s*,\s*(?:[A-Za-z_][\w -]*|"[\w -]+"|'[\w -]+'))*$/;

/**
 * Where a portal may be embedded: scheme and host, canonical (`https://app.example.com`). Plain http only on the
 * developer's own machine, because an embed token travels with every request.
 */
const originField = text().transform((value, context) => {
  const url = URL.parse(value);
  const isOrigin = url !== null && /^https?:\/\/[^/?#@*\\]+\/?$/i.test(value);
  if (isOrigin && (url.protocol === 'https:' || isLoopback(url.hostname))) return url.origin;
  const message = 'must be an origin, for example "https://app.example.com", with http for localhost only';
  context.addIssue({ code: 'custom', message });
  return '';
});

const themeProperties = z
  .record(
    z.string().regex(/^[a-z][a-z0-9-]{0,49}$/),
    text(THEME_VALUE_MAX).refine(
      isThemeValue,
      'must be a plain CSS value, for example "#0f766e", "oklch(0.6 0.1 185)" or "0.5rem"',
    ),
    { error: 'is not the name of a theme property: lower case without leading dashes, as in "primary-foreground"' },
  )
  .refine(
    (properties) => Object.keys(properties).length <= THEME_PROPERTIES_MAX,
    `must have at most ${THEME_PROPERTIES_MAX} properties`,
  );

const shadcnThemeField = z.object({ light: withDefault(themeProperties, {}), dark: withDefault(themeProperties, {}) });

const themeField = z.object({
  title: optional(text()),
  description: optional(text(1000)),
  fontFamily: optional(
    text(200).regex(FONT_FAMILIES, 'must be a list of CSS font families, for example "Inter, sans-serif"'),
  ),
  logoUrl: optional(httpUrlField),
  shadcnTheme: withDefault(shadcnThemeField, DEFAULT_PORTAL.theme.shadcnTheme),
});

/** Every member is optional; what is not given shows the section, and allows no origin. */
export const portalField = z.object({
  allowedOrigins: withDefault(
    z
      .array(originField)
      .max(ORIGINS_MAX, `must have at most ${ORIGINS_MAX} origins`)
      .transform((origins) => [...new Set(origins)]),
    [],
  ),
  showBranding: withDefault(z.boolean(), DEFAULT_PORTAL.showBranding),
  showEarnings: withDefault(z.boolean(), DEFAULT_PORTAL.showEarnings),
  showPayoutHistory: withDefault(z.boolean(), DEFAULT_PORTAL.showPayoutHistory),
  showReferralLink: withDefault(z.boolean(), DEFAULT_PORTAL.showReferralLink),
  showStats: withDefault(z.boolean(), DEFAULT_PORTAL.showStats),
  theme: withDefault(themeField, DEFAULT_PORTAL.theme),
});

/** Safe behind `--name:` in a style sheet: no character that ends a declaration, no comment, only known functions. */
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
