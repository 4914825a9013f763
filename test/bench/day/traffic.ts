import { setTimeout as sleep } from 'node:timers/promises';
import { signedRequest } from '../deliveries.ts';
import { visitOf } from '../redirects.ts';
import { LINK_KEY, type Shop } from './accounts.ts';
import { type Books, emptyBooks } from './books.ts';
import { type PlannedKind, pickKind, rateAt, zipf } from './plan.ts';
import { anyOf, getRequest, paidBy, postRequest, randomId, refundOf } from './requests.ts';
import { openSockets, type Sockets } from './sockets.ts';

export type Kind = PlannedKind | 'health';

export interface TrafficResult {
  books: Books;
  /** Milliseconds from the time when a request was due to its answer, by kind. */
  latencies: Map<Kind, number[]>;
  /** How late requests were sent because all connections were in use or this process was busy. */
  lags: number[];
  /** Unsuccessful answers, by kind and status. */
  refused: Map<string, number>;
  seconds: number;
}

export interface TrafficOptions {
  port: number;
  shops: readonly Shop[];
  seconds: number;
  /** The mean number of requests per second, without bursts. */
  rate: number;
  connections: number;
}

/** A processor whose delivery was refused sends it again until it is accepted. */
const RETRY_AFTER_MS = 1_000;
const TURN_MS = 5;
const HEALTH_EVERY_MS = 100;
/** Accepted deliveries that may be sent again, as if their answers were lost. */
const REPEATABLE_MAX = 5_000;
const CLICKS_KEPT = 200;

interface Delivery {
  shop: Shop;
  body: Buffer;
  /** Called for each acknowledgement; only the first one counts. */
  accepted(): void;
}

/** Sends what a network sends in a day, within `seconds`; settles when everything is answered. */
export async function runTraffic(options: TrafficOptions): Promise<TrafficResult> {
  const traffic = new Traffic(options);
  await traffic.run();
  return traffic.result();
}

class Traffic {
  readonly #options: TrafficOptions;
  readonly #sockets: Sockets;
  /** For health checks: they show how long the server delays everybody, so they must not wait for other requests. */
  readonly #ownSockets: Sockets;
  readonly #pick: () => number;
  readonly #books = emptyBooks();
  readonly #latencies = new Map<Kind, number[]>();
  readonly #lags: number[] = [];
  readonly #refused = new Map<string, number>();
  readonly #repeatable: Delivery[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #seconds = 0;
  #visits = 0;

  constructor(options: TrafficOptions) {
    this.#options = options;
    this.#sockets = openSockets(options.port, options.connections);
    this.#ownSockets = openSockets(options.port, 2);
    this.#pick = zipf(options.shops.length);
  }

  async run(): Promise<void> {
    const { seconds, rate } = this.#options;
    const startedAt = performance.now();
    let dueAt = startedAt;
    let healthAt = startedAt;
    for (let now = startedAt; now < startedAt + seconds * 1_000; now = performance.now()) {
      while (dueAt <= now) {
        this.#start(this.#request(pickKind(), dueAt));
        const second = (dueAt - startedAt) / 1_000;
        // the times between independent requests are exponentially distributed
        dueAt += (-Math.log(1 - Math.random()) * 1_000) / rateAt(rate, second / seconds, second);
      }
      for (; healthAt <= now; healthAt += HEALTH_EVERY_MS) this.#start(this.#health(healthAt));
      await sleep(TURN_MS);
    }
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    this.#seconds = (performance.now() - startedAt) / 1_000;
    this.#sockets.close();
    this.#ownSockets.close();
  }

  result(): TrafficResult {
    return {
      books: this.#books,
      latencies: this.#latencies,
      lags: this.#lags,
      refused: this.#refused,
      seconds: this.#seconds,
    };
  }

  #start(work: Promise<void>): void {
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  async #request(kind: PlannedKind, dueAt: number): Promise<void> {
    const shop = this.#options.shops[this.#pick()] as Shop;
    switch (kind) {
      case 'click':
        return this.#click(shop, dueAt);
      case 'lead':
        return this.#lead(shop, dueAt);
      case 'webhook':
        return this.#invoice(shop, dueAt);
      case 'sale':
        return this.#sale(shop, dueAt);
      case 'refund':
        return this.#refund(shop, dueAt);
      case 'retry':
        return this.#repeat(shop, dueAt);
      case 'portal':
        return this.#portal(shop, dueAt);
      case 'list':
        return this.#list(shop, dueAt);
    }
  }

  /** Sends a request and records how long it took; returns the answer's head. */
  async #send(kind: Kind, request: Buffer, dueAt: number): Promise<{ head: string; status: number }> {
    const sockets = kind === 'health' ? this.#ownSockets : this.#sockets;
    const head = await sockets.send(request, () => this.#lags.push(performance.now() - dueAt));
    const status = Number(head.slice(9, 12));
    const latencies = this.#latencies.get(kind) ?? [];
    this.#latencies.set(kind, latencies);
    latencies.push(performance.now() - dueAt);
    if (status >= 400) {
      const name = `${kind} ${status}`;
      this.#refused.set(name, (this.#refused.get(name) ?? 0) + 1);
    }
    return { head, status };
  }

  async #click(shop: Shop, dueAt: number): Promise<void> {
    const { head } = await this.#send('click', visitOf(LINK_KEY, this.#visits++, shop.linkDomain), dueAt);
    const clickId = /[?&]svc_id=([^&#\s]+)/i.exec(head)?.[1];
    if (clickId === undefined) return;
    this.#books.clicks.add(clickId);
    if (shop.clickIds.length < CLICKS_KEPT) shop.clickIds.push(clickId);
  }

  /** A visitor signs up. If there is none, a visitor arrives instead. */
  async #lead(shop: Shop, dueAt: number): Promise<void> {
    const clickId = shop.clickIds.pop();
    if (clickId === undefined) return this.#click(shop, dueAt);
    const externalId = `user_${randomId()}`;
    const body = { clickId, eventName: 'Sign up', customerExternalId: externalId };
    const request = postRequest('/api/track/lead', shop.apiKey, body);
    const { status } = await this.#untilTaken('lead', request, dueAt);
    if (status !== 200) return;
    this.#books.leads.add(externalId);
    shop.customers.push({ externalId, clickId });
  }

  async #sale(shop: Shop, dueAt: number): Promise<void> {
    const customer = anyOf(shop.customers);
    if (!customer) return this.#lead(shop, dueAt);
    const invoiceId = `inv_${randomId()}`;
    const body = { clickId: customer.clickId, customerExternalId: customer.externalId, amount: 4_900, invoiceId };
    const request = postRequest('/api/track/sale', shop.apiKey, body);
    const { status } = await this.#untilTaken('sale', request, dueAt);
    // 409: it was stored, although the first answer was 503
    if (status === 200 || status === 409) this.#books.invoices.add(invoiceId);
  }

  async #invoice(shop: Shop, dueAt: number): Promise<void> {
    const customer = anyOf(shop.customers);
    if (!customer) return this.#lead(shop, dueAt);
    const id = randomId();
    const invoice = `in_${id}`;
    const body = paidBy(customer.externalId, id);
    const accepted = () => {
      if (this.#books.invoices.has(invoice)) return;
      this.#books.invoices.add(invoice);
      shop.invoices.push(invoice);
    };
    await this.#deliver('webhook', { shop, body, accepted }, dueAt);
  }

  async #refund(shop: Shop, dueAt: number): Promise<void> {
    const invoice = shop.invoices.shift();
    if (invoice === undefined) return this.#invoice(shop, dueAt);
    const accepted = () => void this.#books.refunds.add(invoice);
    await this.#deliver('refund', { shop, body: refundOf(invoice), accepted }, dueAt);
  }

  /** A processor that did not receive the answer sends the same event again. */
  async #repeat(shop: Shop, dueAt: number): Promise<void> {
    const delivery = anyOf(this.#repeatable);
    if (delivery) await this.#deliver('retry', delivery, dueAt);
    else await this.#invoice(shop, dueAt);
  }

  async #portal(shop: Shop, dueAt: number): Promise<void> {
    const token = shop.embedToken ?? this.#options.shops[0]?.embedToken;
    if (token) await this.#send('portal', getRequest('/api/embed/referrals/earnings', token), dueAt);
  }

  async #list(shop: Shop, dueAt: number): Promise<void> {
    await this.#send('list', getRequest('/api/sales', shop.apiKey), dueAt);
  }

  async #health(dueAt: number): Promise<void> {
    await this.#send('health', getRequest('/health/live', ''), dueAt);
  }

  async #deliver(kind: Kind, delivery: Delivery, dueAt: number): Promise<void> {
    const { shop, body } = delivery;
    let due = dueAt;
    for (;;) {
      const { status } = await this.#send(kind, signedRequest(body, shop.webhookPath, shop.secret), due);
      if (status === 200) break;
      await sleep(RETRY_AFTER_MS);
      due = performance.now();
    }
    delivery.accepted();
    if (kind === 'retry') return;
    if (this.#repeatable.length < REPEATABLE_MAX) this.#repeatable.push(delivery);
    else this.#repeatable[Math.floor(Math.random() * REPEATABLE_MAX)] = delivery;
  }

  /** Like a client with a queue: repeats until the request is accepted, or refused permanently. */
  async #untilTaken(kind: Kind, request: Buffer, dueAt: number): Promise<{ status: number }> {
    for (let due = dueAt; ; due = performance.now()) {
      const answer = await this.#send(kind, request, due);
      if (answer.status !== 503) return answer;
      await sleep(RETRY_AFTER_MS);
    }
  }
}
