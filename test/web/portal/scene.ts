import type { Browser, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { createTestApp, type TestApp } from '../../helpers/app.ts';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { createHost, type Host } from './host.ts';
import { createBusyPartner } from './partner.ts';

/** A message of the portal, as the page around it received it. */
export interface Message {
  event: string;
  data: { height?: number; code?: string; message?: string };
  origin: string;
}

/** A page of the company's product with the portal in it. */
export interface Visit {
  page: Page;
  frame: Frame;
  /** Exceptions, console messages (refusals by a policy are among them) and requests to other hosts. */
  problems: string[];
  messages(event: string): Promise<Message[]>;
  leave(): Promise<void>;
}

interface VisitOptions extends BrowserContextOptions {
  /** What the frame may do, if not everything. */
  sandbox?: string;
}

/** A service with a partner who has a year of business, a company's page on another origin, and a browser. */
export interface Scene {
  app: TestApp;
  browser: Browser;
  host: Host;
  partnerId: string;
  /** The time of the service. */
  clock: { now: number };
  changeProgram(body: object): Promise<unknown>;
  /** A token of the busy partner by default. */
  tokenFor(body?: object): Promise<string>;
  /** The address of the frame, as clients build it. */
  frameUrl(token: string, more?: Record<string, string>): string;
  /** Opens the company's page with this frame. */
  visit(address: string, options?: VisitOptions): Promise<Visit>;
  close(): Promise<void>;
}

const THEME = { title: 'Refer Aurora', shadcnTheme: { light: { '--primary': '#7c3aed' }, dark: { radius: '1rem' } } };

export async function createScene(): Promise<Scene> {
  const clock = { now: Date.now() };
  const [app, browser, host] = await Promise.all([
    createTestApp('sqlite', { service: { clock: () => clock.now } }),
    sharedChromium(),
    createHost(),
  ]);
  const changeProgram = (body: object) => app.call('PATCH', `/api/programs/${app.programId}`, { body });
  await changeProgram({ minimumPayout: { usd: 5000 }, portal: { allowedOrigins: [host.origin], theme: THEME } });
  const partnerId = await createBusyPartner(app, clock);
  return {
    app,
    browser,
    host,
    partnerId,
    clock,
    changeProgram,
    tokenFor: async (body = { enrollmentId: partnerId }) =>
      (await app.call('POST', '/api/embed/token', { body })).body.publicToken,
    frameUrl: (token, more = {}) =>
      `${app.url}//embed/referrals?${new URLSearchParams({ token, dynamicHeight: 'true', ...more })}`,
    visit: (address, options = {}) => visit({ app, browser, host }, address, options),
    async close() {
      await closePages(browser);
      await host.close();
      await app.close();
    },
  };
}

/** Waits until every part of the portal has loaded. */
export async function allLoaded(portal: Page | Frame): Promise<void> {
  await portal.getByRole('main').waitFor();
  await portal.locator('.pending').last().waitFor({ state: 'detached' });
}

async function visit(
  { app, browser, host }: Pick<Scene, 'app' | 'browser' | 'host'>,
  address: string,
  { sandbox, ...options }: VisitOptions,
): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1000, height: 800 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => problems.push(message.text()));
  page.on('request', (request) => {
    const known = [app.url, host.origin, 'data:'].some((start) => request.url().startsWith(start));
    if (!known) problems.push(request.url());
  });
  await page.goto(host.pageFor(address, sandbox));
  const frame = page.frames()[1] as Frame;
  const messages = async (event: string): Promise<Message[]> => {
    const all = (await page.evaluate('messages')) as Message[];
    return all.filter((message) => message.event === event);
  };
  return { page, frame, problems, messages, leave: () => context.close() };
}
