import type { EmbedSession } from '../app/embed-session.ts';
import type { Service } from '../app/service.ts';
import type { ProgramId } from '../core/ids.ts';
import { bareThemeName } from '../core/portal.ts';
import { notFound } from '../errors.ts';
import { findProgram, isOriginListed, isOriginOf, type Program } from './queries/programs.ts';
import type { PortalConfig } from './schemas.ts';

const DEFAULT_FONT_FAMILY = 'system-ui, sans-serif';

/** Neutral grays for every property that shadcn's components read, so that a program only sets what differs. */
const DEFAULT_LIGHT = {
  background: '#ffffff',
  foreground: '#18181b',
  card: '#ffffff',
  'card-foreground': '#18181b',
  popover: '#ffffff',
  'popover-foreground': '#18181b',
  primary: '#27272a',
  'primary-foreground': '#fafafa',
  secondary: '#f4f4f5',
  'secondary-foreground': '#27272a',
  muted: '#f4f4f5',
  'muted-foreground': '#63636b',
  accent: '#f4f4f5',
  'accent-foreground': '#27272a',
  destructive: '#c81e1e',
  'destructive-foreground': '#fafafa',
  border: '#e4e4e7',
  input: '#e4e4e7',
  ring: '#71717a',
  'chart-1': '#0f766e',
  'chart-2': '#b45309',
  'chart-3': '#4338ca',
  'chart-4': '#be185d',
  'chart-5': '#4d7c0f',
  radius: '0.5rem',
};

const DEFAULT_DARK = {
  background: '#131316',
  foreground: '#fafafa',
  card: '#1b1b1f',
  'card-foreground': '#fafafa',
  popover: '#1b1b1f',
  'popover-foreground': '#fafafa',
  primary: '#e4e4e7',
  'primary-foreground': '#18181b',
  secondary: '#27272a',
  'secondary-foreground': '#fafafa',
  muted: '#27272a',
  'muted-foreground': '#a1a1aa',
  accent: '#27272a',
  'accent-foreground': '#fafafa',
  destructive: '#f87171',
  'destructive-foreground': '#18181b',
  border: '#303036',
  input: '#303036',
  ring: '#8a8a94',
  'chart-1': '#2dd4bf',
  'chart-2': '#fbbf24',
  'chart-3': '#818cf8',
  'chart-4': '#f472b6',
  'chart-5': '#a3e635',
  radius: '0.5rem',
};

/** A program's portal settings, with defaults for unset texts and colors. */
function portalConfigFor({ name, description, portal }: Program): PortalConfig {
  const { theme } = portal;
  return {
    allowedOrigins: portal.allowedOrigins,
    programName: name,
    programDescription: description,
    showBranding: portal.showBranding,
    showEarnings: portal.showEarnings,
    showPayoutHistory: portal.showPayoutHistory,
    showReferralLink: portal.showReferralLink,
    showStats: portal.showStats,
    theme: {
      title: theme.title ?? name,
      description: theme.description ?? description,
      fontFamily: theme.fontFamily ?? DEFAULT_FONT_FAMILY,
      logoUrl: theme.logoUrl ?? '',
      shadcnTheme: {
        light: withDefaults(theme.shadcnTheme.light, DEFAULT_LIGHT),
        dark: withDefaults(theme.shadcnTheme.dark, DEFAULT_DARK),
      },
    },
  };
}

/** The properties that were set, with defaults for the rest. */
function withDefaults(set: Record<string, string>, defaults: Record<string, string>): Record<string, string> {
  const properties = new Map<string, [name: string, value: string]>();
  for (const property of [...Object.entries(defaults), ...Object.entries(set)]) {
    properties.set(bareThemeName(property[0]), property);
  }
  return Object.fromEntries(properties.values());
}

/** True when any program of any account lists the origin. A request without a token cannot prove more. */
export function isPortalOrigin(service: Service, origin: string): Promise<boolean> {
  return service.database.read((tx) => isOriginListed(tx, origin));
}

/** True when this program allows the origin to embed its portal. */
export function isProgramOrigin(service: Service, programId: ProgramId, origin: string): Promise<boolean> {
  return service.database.read((tx) => isOriginOf(tx, programId, origin));
}

/**
 * The portal configuration of the token's program.
 *
 * @throws ServiceError `NOT_FOUND` when the program no longer exists
 */
export async function getPortalConfig(service: Service, session: EmbedSession): Promise<PortalConfig> {
  const program = await service.database.read((tx) => findProgram(tx, session.accountId, session.programId));
  if (program === undefined) throw notFound('program', session.programId);
  return portalConfigFor(program);
}
