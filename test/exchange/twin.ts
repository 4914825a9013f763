import { request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { Answer, CallOptions, TestApp } from '../helpers/app.ts';

/** The name of both installations, so that addresses in answers are equal. */
export const HOST = 'refer.example.com';

const ID = /\b[a-z]{3}_[0-9A-Za-z]{32}\b/g;
/** The id of a payout or file in shorter characters. */
const SHORT_ID = /\bP[0-9A-Z]{25}\b/g;
const TOKEN = /"publicToken":"[^"]*"/;

const VISITS_MAX = 10;

type Call = TestApp['call'];

/**
 * One account in two installations. Whatever is asked of the first is asked of the second, and must be answered alike;
 * rows that were created at the same time may be listed in another order.
 */
export class Twin {
  readonly #one: TestApp;
  #other: TestApp | null = null;
  /** What the second installation calls what was created since the move. */
  readonly #there = new Map<string, string>();
  readonly #used = new Set<string>();

  constructor(one: TestApp) {
    this.#one = one;
  }

  /** From now on, the account is also at `other`. */
  moveTo(other: TestApp): void {
    this.#other = other;
  }

  /** Both installations as one. */
  app(): TestApp {
    return { ...this.#one, url: `http://${HOST}`, call: (...parts) => this.#callBoth(...parts) };
  }

  /** What both installations do by themselves, with the same result. */
  async inBoth<Result>(work: (app: TestApp) => Promise<Result>): Promise<void> {
    const result = await work(this.#one);
    if (this.#other !== null) expect(await work(this.#other)).toEqual(result);
  }

  async #callBoth(...[method, path, options = {}]: Parameters<Call>): Promise<Answer> {
    const answer = await send(this.#one, method, path, options);
    if (this.#other === null) return answer;
    const { body } = options;
    const isBytes = body === undefined || body instanceof Uint8Array;
    const there = isBytes ? options : { ...options, body: JSON.parse(this.#asThere(JSON.stringify(body))) };
    const other = await send(this.#other, method, this.#asThere(path), there);
    const [lines, others] = [linesOf(answer), linesOf(other)];
    const what = `${method} ${path}`;
    expect([what, others.length]).toEqual([what, lines.length]);
    const paired = lines.map((line) => this.#pair(line, others));
    expect([what, ...paired]).toEqual([what, ...lines.map((line) => this.#asThere(line))]);
    return answer;
  }

  #asThere(text: string): string {
    return text.replaceAll(ID, (id) => this.#there.get(id) ?? id);
  }

  /** Takes the first of the others that differs at most in ids that are new, and learns these; the first if all differ. */
  #pair(line: string, others: string[]): string {
    const known = line.replaceAll(ID, (id) => this.#there.get(id) ?? 'new');
    const at = others.findIndex((other) => other.replaceAll(ID, (id) => (this.#used.has(id) ? id : 'new')) === known);
    const [found = ''] = others.splice(Math.max(0, at), 1);
    const ids = found.match(ID) ?? [];
    for (const [index, id] of (line.match(ID) ?? []).entries()) {
      const twin = ids[index];
      if (at < 0 || twin === undefined || this.#there.has(id)) continue;
      this.#there.set(id, twin);
      this.#used.add(twin);
    }
    return found;
  }
}

/** The status, and the rows of a list or file or all of the answer, without what is random. */
function linesOf({ status, headers, body, text }: Answer): string[] {
  const rows = body?.data ?? body;
  const lines = Array.isArray(rows) ? rows.map((row) => JSON.stringify(row)) : text.split('\r\n');
  const withoutRandom = (line: string) => line.replaceAll(SHORT_ID, 'short').replace(TOKEN, 'token');
  return [`${status} ${headers.get('location') ?? ''}`, ...lines.map(withoutRandom)];
}

async function send(app: TestApp, method: string, path: string, options: CallOptions): Promise<Answer> {
  if (path.includes('/', 1)) return app.call(method, path, options);
  let answer = await visit(app.url + path, options);
  for (let visits = 1; visits < VISITS_MAX && isLost(answer); visits += 1)
    answer = await visit(app.url + path, options);
  return answer;
}

/** A busy machine may need longer for a click than a visitor waits. */
const isLost = ({ status, headers }: Answer) =>
  status === 503 || headers.get('x-refbridge-click') === 'none; reason=lost';

/** Follows a link at the common name; `fetch` would name the address that is connected to. */
function visit(url: string, { headers }: CallOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const following = request(url, { headers: { ...headers, host: HOST } }, async (response) => {
      const shown = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)]);
      const text = await textOf(response);
      resolve({ status: response.statusCode ?? 0, headers: new Headers(shown), body: undefined, text });
    });
    following.on('error', reject).end();
  });
}
