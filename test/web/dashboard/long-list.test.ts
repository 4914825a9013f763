import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSlowness } from '../../bench/yardstick.ts';
import { closePages, sharedChromium } from '../../helpers/chromium.ts';
import { rounds } from '../../helpers/rounds.ts';
import { type BrowserApp, createBrowserApp, signInUrlOf } from './example.ts';
import { type Visit, visitDashboard } from './visit.ts';

const DELIVERIES = rounds(10_000);
/** Far fewer than there are: what is on the screen, and what is near it. */
const RENDERED_MAX = 250;
/** No task may block the page for longer than this; on a slower machine, more in proportion. */
const TASK_MS_MAX = 50;

let example: BrowserApp;
let browser: Browser;
let visit: Visit;
let devtools: CDPSession;
let taskMsMax: number;

beforeAll(async () => {
  [example, browser] = await Promise.all([createBrowserApp(), sharedChromium()]);
  await fill(example);
  taskMsMax = TASK_MS_MAX * (await startSlowness());
  visit = await visitDashboard(browser, await signInUrlOf(example.app));
  await visit.page.getByRole('heading', { name: 'Overview' }).waitFor();
  devtools = await visit.page.context().newCDPSession(visit.page);
  // counts what the page's own thread computes, so that other processes on the machine do not matter
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
});
afterAll(async () => {
  await closePages(browser);
  await example.app.close();
});

async function fill({ app }: BrowserApp): Promise<void> {
  const { body: endpoint } = await app.call('POST', '/api/webhook-endpoints', { body: { processor: 'stripe' } });
  const now = Date.now();
  await app.service.database.write(async (tx) => {
    const sql = `INSERT INTO deliveries (id, account_id, endpoint_id, processor, delivery_key, event_type, status, outcome,
        attempts, received_at, headers)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @count)
      SELECT 'dlv_${'0'.repeat(25)}' || CAST(1000000 + i AS TEXT), @accountId, @endpointId, 'stripe', 'evt_' || CAST(i AS TEXT),
        'event.' || CAST(i AS TEXT), 'processed', 'ignored', 1, @now, '{}' FROM n`;
    await tx.run(sql, { count: DELIVERIES, accountId: app.accountId, endpointId: endpoint.id, now });
  });
}

const renderedRows = (page: Page) => page.locator('tbody tr[aria-rowindex]').count();
const lastIndex = async (page: Page) =>
  Number(await page.locator('tbody tr[aria-rowindex]').last().getAttribute('aria-rowindex'));

/** Milliseconds that the page's thread has computed so far. */
async function computedMs(): Promise<number> {
  const { metrics } = await devtools.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
}

/** The longest tasks of the page's thread during `work`, in milliseconds of computing time, longest first. */
async function longestTasks(work: () => Promise<void>): Promise<number[]> {
  interface TraceEvent {
    name: string;
    pid: number;
    tid: number;
    tdur?: number;
    args: { name?: string };
  }
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: object[] }) => events.push(...(value as TraceEvent[]));
  devtools.on('Tracing.dataCollected', collect);
  await devtools.send('Tracing.start', { traceConfig: { includedCategories: ['toplevel'] } });
  await work();
  const ended = new Promise((resolve) => devtools.once('Tracing.tracingComplete', resolve));
  await devtools.send('Tracing.end');
  await ended;
  devtools.off('Tracing.dataCollected', collect);
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const pages = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain').map(threadOf),
  );
  const tasks = events.filter((event) => event.name.endsWith('RunTask') && pages.has(threadOf(event)));
  return tasks.map(({ tdur = 0 }) => tdur / 1000).sort((a, b) => b - a);
}

/** Waits until the browser has painted the result of a step. */
const painted = (page: Page) =>
  page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');

describe(`a list of ${DELIVERIES} deliveries`, () => {
  it('loads as one scrolls, and renders only what is near the screen', async () => {
    const { page } = visit;
    await page.goto(`${example.app.url}/dashboard/deliveries`);
    await page.getByText(`event.${DELIVERIES}`, { exact: true }).waitFor();
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe('-1');
    await page.mouse.move(700, 500);
    const tasks = await longestTasks(async () => {
      for (let n = 0; n < 20; n += 1) {
        await page.mouse.wheel(0, 3_000);
        await painted(page);
      }
    });
    expect(tasks.length).toBeGreaterThan(100);
    expect(tasks[0]).toBeLessThan(taskMsMax);
    for (let last = 0; last < DELIVERIES + 1; last = await lastIndex(page)) {
      await page.mouse.wheel(0, 6_000);
      await painted(page);
      expect(await renderedRows(page)).toBeLessThanOrEqual(RENDERED_MAX);
    }
    await page.getByText('event.1', { exact: true }).waitFor();
    expect(await page.getByRole('table').getAttribute('aria-rowcount')).toBe(String(DELIVERIES + 1));
  });

  it('responds at once while scrolling', async () => {
    const { page } = visit;
    const steps: number[] = [];
    const scroll = async () => {
      for (const part of [0.9, 0.6, 0.3]) {
        await page.evaluate(`scrollTo(0, ${part} * document.documentElement.scrollHeight)`);
        await painted(page);
        for (let n = 0; n < 12; n += 1) {
          const before = await computedMs();
          await page.mouse.wheel(0, 700);
          await painted(page);
          steps.push((await computedMs()) - before);
        }
      }
    };
    await scroll();
    // a step is several tasks: rendering, laying out, painting
    steps.sort((a, b) => a - b);
    expect(steps[steps.length >> 1]).toBeLessThan(taskMsMax);
    const tasks = await longestTasks(scroll);
    expect(tasks.length).toBeGreaterThan(100);
    expect(tasks[0]).toBeLessThan(taskMsMax);
  });

  it('keeps its place: jumping shows the rows that belong there', async () => {
    const { page } = visit;
    const height = () => page.evaluate<number>('document.documentElement.scrollHeight');
    const whole = await height();
    for (const part of [0.5, 0.1, 0.9, 0]) {
      await page.evaluate(`scrollTo(0, ${part * whole})`);
      const expected = Math.round(part * DELIVERIES);
      const isShown = async () =>
        page.evaluate<boolean>(`(() => {
          const row = document.elementFromPoint(700, 700)?.closest('tr[aria-rowindex]');
          return row !== null && row !== undefined && Math.abs(row.ariaRowIndex - ${expected}) < 60;
        })()`);
      await expect.poll(isShown, { message: `at ${part}` }).toBe(true);
      expect(await renderedRows(page)).toBeLessThanOrEqual(RENDERED_MAX);
      expect(Math.abs((await height()) - whole)).toBeLessThan(50);
    }
  });

  it('shows the rows to which one returns before it has followed', async () => {
    const { page } = visit;
    const isFirstShown = () => page.evaluate("document.querySelector('tbody').ariaHidden === null");
    // its rendering takes several frames
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 12 });
    for (const frames of [3, 4, 5]) {
      await page.evaluate(`(async () => {
        scrollTo(0, document.documentElement.scrollHeight);
        for (let n = 0; n < ${frames}; n += 1) await new Promise(requestAnimationFrame);
        scrollTo(0, 0);
      })()`);
      await page.waitForTimeout(1_000);
      await expect.poll(isFirstShown, { message: `after ${frames} frames` }).toBe(true);
    }
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  });

  it('is walked through by keyboard, and the row with the focus stays', async () => {
    const { page } = visit;
    await page.locator('tbody tr[aria-rowindex="2"] a').focus();
    for (let n = 0; n < 120; n += 1) await page.keyboard.press('Tab');
    const index = 'Number(document.activeElement.closest("tr")?.ariaRowIndex)';
    const reached = await page.evaluate<number>(index);
    expect(reached).toBeGreaterThan(30);
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await expect.poll(() => lastIndex(page)).toBe(DELIVERIES + 1);
    expect(await page.evaluate<number>(index)).toBe(reached);
    expect(visit.problems).toEqual([]);
  });

  it('is printed with every row that was loaded', async () => {
    const { page } = visit;
    await page.goto(`${example.app.url}/dashboard/deliveries`);
    await page.getByText(`event.${DELIVERIES}`, { exact: true }).waitFor();
    while ((await lastIndex(page)) <= RENDERED_MAX) {
      await page.mouse.wheel(0, 3_000);
      await painted(page);
    }
    const loaded = await lastIndex(page);
    const count = `document.querySelectorAll('tbody tr[aria-rowindex]').length`;
    await page.evaluate(`addEventListener('beforeprint', () => { globalThis.printed = ${count}; })`);
    await page.pdf();
    expect(await page.evaluate('printed')).toBeGreaterThanOrEqual(loaded - 1);
    await expect.poll(() => renderedRows(page)).toBeLessThanOrEqual(RENDERED_MAX);
  });
});
