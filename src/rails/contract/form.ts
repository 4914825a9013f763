/** The names of details. A name means the same in every rail. */
export type DetailName = 'email' | 'name' | 'iban' | 'bic' | 'receiverType' | 'account';

/** What a page asks a partner for. The page supplies the labels, because it is translated. */
export interface RailForm {
  title: string;
  /** In the order in which the page asks for them. */
  needed: readonly DetailName[];
  optional: readonly DetailName[];
}
