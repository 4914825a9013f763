import { expect } from 'vitest';
import type { PartnerId } from '../../../src/core/ids.ts';
import type { CsvKind } from '../../../src/exchange/csv-fields.ts';
import { importCsv } from '../../../src/exchange/import-csv.ts';
import type { Answer, TestApp } from '../../helpers/app.ts';
import { clickThrough, unique, VISITOR } from '../../helpers/story.ts';
import { deliverExplained } from './explained.ts';

/** A visit, which no list shows. */
export interface Click {
  id: string;
  linkId: string;
  partnerId: string;
  programId: string;
  at: number;
}

export interface Partner {
  id: PartnerId;
  programId: string;
  email: string;
  tenantId: string;
}

const PARTNER_OF_LINK = [0, 0, 1, 2];
const SECRET = `whsec_${'0'.repeat(32)}`;

/** An account with three partners in two programs, and what happens to it over HTTP. */
export class Cast {
  readonly app: TestApp;
  readonly clock: { now: number };
  readonly clicks: Click[] = [];
  partners: Partner[] = [];
  links: { id: string; key: string; partnerId: string }[] = [];
  programIds: string[] = [];
  /** Keeps the names of histories apart. */
  readonly name = unique('h');
  webhook = { id: '', path: '' };
  readonly #delivered: Buffer[] = [];

  constructor(app: TestApp, clock: { now: number }) {
    this.app = app;
    this.clock = clock;
  }

  async begin(): Promise<void> {
    const { app } = this;
    const terms = { holdDays: 7, selfReferral: 'flag', minimumPayout: { usd: 300 } };
    await this.#must('PATCH', `/api/programs/${app.programId}`, terms);
    const second = await this.#must('POST', '/api/programs', { name: 'Second', holdDays: 0 });
    this.programIds = [app.programId, second.id];
    for (let partner = 0; partner < 3; partner += 1) {
      const programId = this.programIds[partner < 2 ? 0 : 1] ?? '';
      const email = `${this.name}p${partner}@example.com`;
      const body = { name: `Partner ${partner}`, email, programId, tenantId: `${this.name}t${partner}` };
      const { id } = await this.#must('POST', '/api/partners', body);
      await this.#must('PUT', `/api/partners/${id}/payout-details`, { rail: 'paypal', email });
      this.partners.push({ id, programId, email, tenantId: body.tenantId });
    }
    for (const partner of PARTNER_OF_LINK) {
      const { id: partnerId } = this.partners[partner] as Partner;
      const domain = new URL(app.url).host;
      const link = await this.#must('POST', '/api/links', { partnerId, domain, url: 'https://shop.example.com/' });
      this.links.push({ id: link.id, key: link.key, partnerId });
    }
    const endpoint = await this.#must('POST', '/api/webhook-endpoints', { processor: 'stripe', secrets: [SECRET] });
    this.webhook = { id: endpoint.id, path: new URL(endpoint.url).pathname };
    await this.#bringCustomers();
  }

  /** Two customers of the first partner, and one of another program's. */
  async #bringCustomers(): Promise<void> {
    for (const [customer, link] of [0, 1, 3].entries()) {
      await this.click(link);
      const clickId = this.clicks.at(-1)?.id;
      const body = { clickId, customerExternalId: this.customer(customer), eventName: 'Sign up' };
      await this.#must('POST', '/api/track/lead', body);
    }
  }

  customer(index: number): string {
    return `${this.name}u${index}`;
  }

  patch(path: string, body: object): Promise<Answer> {
    return this.app.call('PATCH', path, { body });
  }

  post(path: string, body: object = {}): Promise<Answer> {
    return this.app.call('POST', path, { body });
  }

  /** Follows a link, which an archived one does not allow. */
  async click(index: number): Promise<undefined> {
    const { id: linkId, key, partnerId } = this.links[index] as Cast['links'][number];
    const follow = () => this.app.call('GET', `/${key}`, { key: null, headers: { 'user-agent': VISITOR } });
    const first = await follow();
    if (first.status !== 302 && first.status !== 503) return;
    let visits = 0;
    const id = await clickThrough(async () => {
      visits += 1;
      return visits === 1 ? first : follow();
    });
    const { programId } = this.partners.find((partner) => partner.id === partnerId) as Partner;
    this.clicks.push({ id, linkId, partnerId, programId, at: this.clock.now });
  }

  async handOver(index: number, partner: number): Promise<Answer> {
    const link = this.links[index] as Cast['links'][number];
    const { id: partnerId } = this.partners[partner] as Partner;
    const answer = await this.app.call('PATCH', `/api/links/${link.id}`, { body: { partnerId } });
    if (answer.status === 200) link.partnerId = partnerId;
    return answer;
  }

  /** One of the rows on the first page of a list; undefined without any. */
  async find(path: string, index: number): Promise<{ id: string } | undefined> {
    const { data } = (await this.app.call('GET', path)).body;
    return data[index % Math.max(1, data.length)];
  }

  /** Imports a CSV file with one row. */
  async importRow(kind: CsvKind, head: string, row: readonly (string | undefined)[]): Promise<undefined> {
    const { service, accountId } = this.app;
    async function* file() {
      yield Buffer.from(`${head}\n${row.join(',')}\n`);
    }
    const target = { service, accountId, programId: null, origin: 'Old' };
    const options = { kind, columns: new Map(), isDryRun: false, reportPath: null };
    await importCsv(target, { ...options, file: file() });
    return undefined;
  }

  /** Delivers an event of Stripe that happened now, or earlier. */
  deliver(event: object, lateMs = 0): Promise<Answer> {
    const created = Math.floor((this.clock.now - lateMs) / 1000);
    const rawBody = Buffer.from(JSON.stringify({ ...event, created }));
    this.#delivered.push(rawBody);
    return this.#deliver(rawBody);
  }

  /** Delivers one of the earlier events once more. */
  async deliverAgain(index: number): Promise<void> {
    const rawBody = this.#delivered[index % Math.max(1, this.#delivered.length)];
    if (rawBody !== undefined) expect((await this.#deliver(rawBody)).body.outcome).toBe('duplicate');
  }

  async #deliver(rawBody: Buffer): Promise<Answer> {
    const adapter = await this.app.service.adapterFor('stripe');
    const secrets = { secrets: [SECRET], authorization: null, shopDomain: null };
    return deliverExplained(this, { rawBody, headers: adapter.sign(rawBody, secrets, this.clock.now, '') });
  }

  async #must(method: string, path: string, body: object): Promise<Answer['body']> {
    const answer = await this.app.call(method, path, { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.body;
  }
}
