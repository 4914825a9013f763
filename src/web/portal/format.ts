import { formatAmount } from '../parts/money.ts';
import { formatShare } from '../parts/percent.ts';
import { isWholeDay } from '../parts/time.ts';

/** Formats numbers, money and dates of one language. */
export class Format {
  readonly language: string;
  readonly #number: Intl.NumberFormat;
  readonly #day: Intl.DateTimeFormat;
  readonly #utcDay: Intl.DateTimeFormat;
  readonly #month: Intl.DateTimeFormat;
  readonly #shortMonth: Intl.DateTimeFormat;

  constructor(language: string) {
    this.language = language;
    this.#number = new Intl.NumberFormat(language);
    this.#day = new Intl.DateTimeFormat(language, { dateStyle: 'medium' });
    this.#utcDay = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' });
    this.#month = new Intl.DateTimeFormat(language, { month: 'long', year: 'numeric', timeZone: 'UTC' });
    this.#shortMonth = new Intl.DateTimeFormat(language, { month: 'short', timeZone: 'UTC' });
  }

  number(value: number): string {
    return this.#number.format(value);
  }

  /** Minor units, with the decimals of ISO 4217. */
  money(amountMinor: number, currency: string): string {
    return formatAmount(amountMinor, currency, this.language);
  }

  /** `$5.00 or €4.50`: amounts of several currencies, one of which applies. */
  eitherOf(amounts: Readonly<Record<string, number>>): string {
    const texts = Object.entries(amounts).map(([currency, amount]) => this.money(amount, currency));
    return new Intl.ListFormat(this.language, { type: 'disjunction' }).format(texts);
  }

  /** The day of a time, in the reader's zone. */
  day(iso: string): string {
    return (isWholeDay(iso) ? this.#utcDay : this.#day).format(new Date(iso));
  }

  /** `November 2026` for the first of its days, in UTC. */
  month(day: string): string {
    return this.#month.format(new Date(day));
  }

  shortMonth(day: string): string {
    return this.#shortMonth.format(new Date(day));
  }

  rate(basisPoints: number): string {
    return formatShare(basisPoints / 10_000, this.language);
  }

  /** `12 months`, `30 days`. */
  count(value: number, unit: 'day' | 'month'): string {
    return new Intl.NumberFormat(this.language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  }
}
