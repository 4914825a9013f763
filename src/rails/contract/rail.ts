import type { z } from 'zod';

/** A way to pay partners; also its folder, its word in the API and its value in the database. */
export type RailName = 'paypal' | 'wise' | 'sepa';

/** The details by which a partner is paid; each rail declares its own. */
export type PayoutDetails = Readonly<Record<string, string | null>>;

/** Details with their rail, masked. */
export type PayoutDetailsView = PayoutDetails & { rail: RailName };

/** What a file needs besides its payouts. */
export type FileOptions = Readonly<Record<string, unknown>>;

/** A payment to one partner. */
export interface Payment {
  /** Names the payout in files and reports: at most 30 letters and digits. */
  shortId: string;
  /** Minor units, more than 0. */
  amount: number;
  /** ISO 4217, lower case. */
  currency: string;
}

export interface PaymentWithDetails<Details> extends Payment {
  details: Details;
}

export interface FileContext<Options> {
  /** Unique for the file: at most 30 letters and digits. */
  shortId: string;
  createdAt: number;
  options: Options;
}

export interface RailFile {
  contentType: string;
  extension: string;
  /** The file in parts. */
  chunks: Iterable<string>;
}

/**
 * A way to pay partners, as an adapter is a way to hear of payments. Everything in it is pure: it reads and writes nothing.
 * `details` and `options` have a description for each member, which API, documentation and pages show.
 */
export interface Rail<Details = PayoutDetails, Options = FileOptions> {
  name: RailName;
  /** The details that a partner gives. All members are texts; one may be null. */
  details: z.ZodObject;
  /** What the operator gives with each file. */
  options: z.ZodObject;
  /** Payments in one file at most. */
  paymentsMax: number;
  /** The same members with what must not be shown replaced by `…`. Enough to recognize them. */
  masked(details: Details): PayoutDetails;
  /** Why this rail cannot make the payment, as a sentence without its end; null when it can. */
  refusalOf(payment: Payment, details: Details): string | null;
  /** The file for payments of one currency, none of which is refused. */
  fileFor(payments: readonly PaymentWithDetails<Details>[], context: FileContext<Options>): RailFile;
}
