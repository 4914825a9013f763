import type { Config } from './start.ts';

/** The path under which the dashboard shows this page with examples, before a theme is saved. */
const PREVIEW_PATH = '/dashboard/portal-preview';

/** What the dashboard sends: a config as it would be saved, and example answers. */
interface Preview {
  config: Config;
  parts: Record<string, unknown>;
}

export const isPreview = location.pathname === PREVIEW_PATH;

/** Calls `show` whenever the dashboard around this page sends a preview; only a page of the same origin can. */
export function followPreview(show: (preview: Preview) => void): void {
  addEventListener('message', ({ origin, source, data }: MessageEvent<Preview>) => {
    if (origin === location.origin && source === window.parent) show(data);
  });
}
