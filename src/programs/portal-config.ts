import type { Service } from '../app/service.ts';
import { notFound } from '../errors.ts';
import type { EmbedSession } from './embed-tokens.ts';
import { findProgram, isOriginListed, type Program } from './queries/programs.ts';

/** What the embedded portal displays (specification 2.5): every member is always there. */
export interface PortalConfig {
  allowedOrigins: string[];
  programName: string;
  programDescription: string;
  showBranding: boolean;
  showEarnings: boolean;
  showPayoutHistory: boolean;
  showReferralLink: boolean;
  showStats: boolean;
  theme: {
    title: string;
    description: string;
    fontFamily: string;
    /** Empty where the program has no logo. */
    logoUrl: string;
    shadcnTheme: { light: Record<string, string>; dark: Record<string, string> };
  };
}

const DEFAULT_FONT_FAMILY = 'system-ui, sans-serif';

/** Quiet greys: all properties that shadcn's components read, so that a program sets only what it wants to differ. */
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

/** A program's portal with its unset texts and colours filled in. */
function portalConfigFor(program: Program): PortalConfig {
  const { theme, ...sections } = program.portal;
  return {
    ...sections,
    programName: program.name,
    programDescription: program.description,
    theme: {
      title: theme.title ?? program.name,
      description: theme.description ?? program.description,
      fontFamily: theme.fontFamily ?? DEFAULT_FONT_FAMILY,
      logoUrl: theme.logoUrl ?? '',
      shadcnTheme: {
        light: { ...DEFAULT_LIGHT, ...theme.shadcnTheme.light },
        dark: { ...DEFAULT_DARK, ...theme.shadcnTheme.dark },
      },
    },
  };
}

/** True when some program of whichever account lists the origin: all that is known of a request without a token. */
export function isPortalOrigin(service: Service, origin: string): Promise<boolean> {
  return service.database.read((tx) => isOriginListed(tx, origin));
}

/** @throws ServiceError `NOT_FOUND` when the program of the token is gone */
export async function getPortalConfig(service: Service, session: EmbedSession): Promise<PortalConfig> {
  const program = await service.database.read((tx) => findProgram(tx, session.accountId, session.programId));
  if (program === undefined) throw notFound('program', session.programId);
  return portalConfigFor(program);
}
