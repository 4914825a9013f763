import type { z } from 'zod';

/** A way to pay partners. The name is also the folder, the name in the API and the value in the database. */
export type RailName = 'paypal' | 'wise' | 'sepa';

/** The details needed to pay a partner. Each rail declares its own. */
export type PayoutDetails = Readonly<Record<string, string | null>>;

/** Details with their rail, masked. */
export type PayoutDetailsView = PayoutDetails & { rail: RailName };

/** What a file needs in addition to its payouts. */
export type FileOptions = Readonly<Record<string, unknown>>;

/** A payment to one partner. */
export interface Payment {
  /** Identifies the payout in files and reports; at most 30 letters and digits. */
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
  /** Unique to the file; at most 30 letters and digits. */
  shortId: string;
  createdAt: number;
  options: Options;
}

/** What is wrong with a member of the options, for `VALIDATION_ERROR`. */
export interface OptionFlaw {
  path: string;
  message: string;
}

export interface RailFile {
  contentType: string;
  extension: string;
  /** The file in parts. */
  chunks: Iterable<string>;
}

/**
 * A way to pay partners, as an adapter is a way to receive payments. Everything in it is pure and performs no I/O.
 * `details` and `options` describe each member for the API, documentation and pages.
 */
export interface Rail<Details = PayoutDetails, Options = FileOptions> {
  name: RailName;
  /** The details that a partner enters. All members are texts; one may be null. */
  details: z.ZodObject;
  /** What the operator enters for each file. */
  options: z.ZodObject;
  /** What is wrong with options at the time when a file is made, beyond `options`; null when nothing is. */
  flawOfOptions?(options: Options, createdAt: number): OptionFlaw | null;
  /** The maximum number of payments in one file. */
  paymentsMax: number;
  /** The same members, with everything that must not be shown replaced by `…`. They stay recognizable. */
  masked(details: Details): PayoutDetails;
  /** Why this rail cannot make the payment, as a sentence without a final period; null when it can. */
  refusalOf(payment: Payment, details: Details): string | null;
  /** The file for payments of one currency. None of the payments may be refused. */
  fileFor(payments: readonly PaymentWithDetails<Details>[], context: FileContext<Options>): RailFile;
}
