/** The appearance of a program's embedded partner portal, as its owner configured it. */

export interface PortalSettings {
  /** Origins that may embed the portal, such as `https://app.example.com`. Empty: only this service itself. */
  allowedOrigins: string[];
  showBranding: boolean;
  showEarnings: boolean;
  showPayoutHistory: boolean;
  showReferralLink: boolean;
  showStats: boolean;
  theme: PortalTheme;
}

/** A member is null when it was not set. */
interface PortalTheme {
  title: string | null;
  description: string | null;
  fontFamily: string | null;
  logoUrl: string | null;
  /** CSS custom properties, with or without their leading dashes: `primary` or `--primary` → `#0f766e`. */
  shadcnTheme: { light: Record<string, string>; dark: Record<string, string> };
}

export const DEFAULT_PORTAL: PortalSettings = {
  allowedOrigins: [],
  showBranding: true,
  showEarnings: true,
  showPayoutHistory: true,
  showReferralLink: true,
  showStats: true,
  theme: { title: null, description: null, fontFamily: null, logoUrl: null, shadcnTheme: { light: {}, dark: {} } },
};

/** The name of a theme property without its leading dashes. */
export function bareThemeName(name: string): string {
  return name.replace(/^--/, '');
}
