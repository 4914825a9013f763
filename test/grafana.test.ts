import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApp, type TestApp } from './helpers/app.ts';
import { ROOT } from './helpers/source-modules.ts';

interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { h: number; w: number; x: number; y: number };
  datasource?: { type: string; uid: string };
  targets?: { refId: string; expr: string; datasource: { uid: string } }[];
  fieldConfig?: { defaults: { unit?: string } };
}

interface Board {
  title: string;
  uid: string;
  schemaVersion: number;
  templating: { list: { name: string; type: string; query: unknown }[] };
  panels: Panel[];
}

const readText = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const board = JSON.parse(readText('docs/grafana/refbridge.json')) as Board;
const rules = readText('docs/grafana/alerts.yaml')
  .split('      - alert: ')
  .slice(1)
  .map((text) => ({
    name: text.split('\n', 1)[0] ?? '',
    expression: /^ {8}expr: (.+)$/m.exec(text)?.[1] ?? '',
    duration: /^ {8}for: (.+)$/m.exec(text)?.[1],
    severity: /^ {10}severity: (.+)$/m.exec(text)?.[1],
    summary: /^ {10}summary: "(.+)"$/m.exec(text)?.[1],
    description: /^ {10}description: "(.+)"$/m.exec(text)?.[1],
  }));
const panels = board.panels.filter(({ type }) => type !== 'row');
const boardExpressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
/** The rows of both tables of metrics. */
const documented = readText('docs/operations.md')
  .split('\n')
  .flatMap((line) => {
    const [, name, labels = ''] = /^\| `(refbridge_\w+)` \|([^|]*)\|/.exec(line) ?? [];
    return name === undefined
      ? []
      : [{ name, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) }];
  });

/** The names of metrics in a Prometheus expression, without functions, labels, durations and numbers. */
function metricsIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/"[^"]*"/g, '')
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, '')
    .replaceAll(/\bby \([^)]*\)/g, '');
  return [...bare.matchAll(/(?<![\w.])[a-z_]\w*\b(?!\s*\()/g)].map(([name]) => name).filter((name) => name !== 'or');
}

/** The labels in an expression, from selectors and groups. */
function labelsIn(expression: string): string[] {
  const selected = [...expression.matchAll(/[{,]\s*(\w+)\s*=/g)].map(([, label = '']) => label);
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/,\s*/));
  return [...selected, ...grouped];
}

const withoutSuffix = (name: string) =>
  name.includes('_seconds_') ? name.replace(/_(?:bucket|count|sum)$/, '') : name;

describe('the metrics of a server that measures', () => {
  let app: TestApp;
  let kept: string[];
  beforeAll(async () => {
    app = await createTestApp('sqlite', { metrics: { kind: 'public' } });
    const { text } = await app.call('GET', '/metrics', { key: null });
    kept = [...text.matchAll(/^# TYPE (\w+) \w+$/gm)].map(([, name = '']) => name);
  });
  afterAll(() => app.close());

  const ours = () => kept.filter((name) => name.startsWith('refbridge_')).sort();

  it('are those in the table of docs/operations.md, both ways', () => {
    expect(documented.map(({ name }) => name).sort()).toEqual(ours());
    expect(ours().length).toBeGreaterThan(20);
  });

  it('are all on the dashboard', () => {
    const shown = new Set(boardExpressions.flatMap(metricsIn).map(withoutSuffix));
    expect(ours().filter((name) => !shown.has(name))).toEqual([]);
  });

  it.each([
    ['the board', boardExpressions],
    ['the alerts', rules.map(({ expression }) => expression)],
  ])('are the only ones that %s names, with their labels', (_what, expressions) => {
    expect(expressions.length).toBeGreaterThan(10);
    // Prometheus itself adds `up` and these labels to every job
    const known = new Set([...kept, 'up']);
    const unknown = expressions.flatMap(metricsIn).filter((name) => !known.has(withoutSuffix(name)));
    expect(unknown).toEqual([]);
    const labels = new Map(documented.map(({ name, labels }) => [name, ['job', 'instance', 'le', ...labels]]));
    const wrong = expressions.flatMap((expression) => {
      const allowed = metricsIn(expression).flatMap((name) => labels.get(withoutSuffix(name)) ?? ['job', 'instance']);
      return labelsIn(expression)
        .filter((label) => !allowed.includes(label))
        .map((label) => `${label}: ${expression}`);
    });
    expect(wrong).toEqual([]);
  });

  it('are found in expressions, as are labels', () => {
    const expression =
      'time() - max by (processor) (rate(refbridge_a_total{job=~"$job",code="x y"}[5m])) > 24 * 3600 or b';
    expect(metricsIn(expression)).toEqual(['refbridge_a_total', 'b']);
    expect(labelsIn(expression)).toEqual(['job', 'code', 'processor']);
  });
});

describe('the Grafana dashboard', () => {
  it('reads from the data source that its user chooses, wherever it is imported', () => {
    expect(board).toMatchObject({ title: 'Refbridge', uid: 'refbridge', schemaVersion: expect.any(Number) });
    expect(board.templating.list.map(({ name, type }) => [name, type])).toEqual([
      ['datasource', 'datasource'],
      ['job', 'query'],
    ]);
    const sources = panels.flatMap(({ datasource, targets = [] }) => [
      datasource,
      ...targets.map((target) => target.datasource),
    ]);
    expect([...new Set(sources.map((source) => source?.uid))]).toEqual([expect.stringMatching(/^\$\{datasource\}$/)]);
  });

  it('has panels with a title, a description, a unit and queries, which do not overlap', () => {
    const wrong = panels.filter(
      ({ title, description, fieldConfig, targets = [] }) =>
        !title || !description || !fieldConfig?.defaults.unit || targets.length === 0,
    );
    expect(wrong).toEqual([]);
    expect(new Set(board.panels.map(({ id }) => id)).size).toBe(board.panels.length);
    const cells = board.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => [x + (cell % w), y + Math.floor(cell / w)]),
    );
    expect(cells.filter(([x = 0]) => x > 23)).toEqual([]);
    expect(new Set(cells.map(String)).size).toBe(cells.length);
  });

  it('never adds up over processes what each of them reports about the whole database', () => {
    const ofDatabase = [...readText('src/http/measured-metrics.ts').matchAll(/refbridge_\w+/g)].map(([name]) => name);
    const expressions = [...boardExpressions, ...rules.map(({ expression }) => expression)];
    const added = expressions.filter(
      (text) => /\bsum\b/.test(text) && metricsIn(text).some((name) => ofDatabase.includes(name)),
    );
    expect(added).toEqual([]);
    expect(ofDatabase).toContain('refbridge_sales_total');
  });
});

describe('the alerts', () => {
  it('each have a name, a condition, a duration, a severity and what to do', () => {
    expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length);
    for (const rule of rules) {
      expect(rule).toEqual({
        name: expect.stringMatching(/^Refbridge[A-Z]\w+$/),
        expression: expect.stringMatching(/[<>=] ?\S/),
        duration: expect.stringMatching(/^\d+[mh]$/),
        severity: expect.stringMatching(/^(warning|critical)$/),
        summary: expect.any(String),
        description: expect.any(String),
      });
    }
  });

  it('include one for deliveries that are rejected in bursts, hours apart: it looks back longer than it waits', () => {
    const rule = rules.find(({ name }) => name === 'RefbridgeRejectedDeliveries');
    expect(rule).toMatchObject({ expression: expect.stringContaining('[1h]'), duration: '15m' });
  });
});
