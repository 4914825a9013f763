/** The names of details; one means the same in every rail. */
export type DetailName = 'email' | 'name' | 'iban' | 'bic' | 'receiverType';

/** What a page asks a partner for. Labels are the page's own, because it has languages. */
export interface RailForm {
  title: string;
  /** In the order in which they are asked for. */
  needed: readonly DetailName[];
  optional: readonly DetailName[];
}
