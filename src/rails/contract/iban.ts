/**
 * The length of an IBAN by country, from SWIFT's IBAN registry (ISO 13616). A country that is not listed has no IBANs.
 */
const LENGTHS_BY_COUNTRY: ReadonlyMap<string, number> = new Map(
  Object.entries({
    15: 'NO',
    16: 'BE',
    18: 'DK FI FK FO GL NL SD',
    19: 'MK SI',
    20: 'AT BA EE KZ LT LU MN XK',
    21: 'CH HR LI LV',
    22: 'BG BH CR DE GB GE IE ME RS VA',
    23: 'AE GI IL IQ OM SO TL',
    24: 'AD CZ ES MD PK RO SA SE SK TN VG',
    25: 'LY PT ST',
    26: 'IS TR',
    27: 'BI DJ FR GR IT MC MR SM',
    28: 'AL AZ BY CY DO GT HN HU LB NI PL SV',
    29: 'BR EG PS QA UA',
    30: 'JO KW MU YE',
    31: 'MT SC',
    32: 'LC',
    33: 'RU',
  }).flatMap(([length, countries]) => countries.split(' ').map((country) => [country, Number(length)] as const)),
);

/** Without spaces and in upper case, as banks store it. */
export function compactIban(text: string): string {
  return text.replaceAll(/\s/g, '').toUpperCase();
}

/** What is wrong with an IBAN in compact form; null when its country, length and check digits are valid. */
export function ibanProblem(iban: string): string | null {
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/.test(iban)) return 'must be an IBAN, such as DE89 3704 0044 0532 0130 00';
  const country = iban.slice(0, 2);
  const length = LENGTHS_BY_COUNTRY.get(country);
  if (length === undefined) return `must be an IBAN: no country with IBANs has the code ${country}`;
  if (iban.length !== length) return `must have ${length} characters in ${country}, and has ${iban.length}`;
  return remainderOf97(iban) === 1 ? null : 'is mistyped: its check digits do not match';
}

/** `DE89370400440532013000` → `DE…3000`. */
export function maskedIban(iban: string): string {
  return `${iban.slice(0, 2)}…${iban.slice(-4)}`;
}

/** ISO 7064: the first four characters move to the end, and a letter counts as a number from 10 to 35. */
function remainderOf97(iban: string): number {
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value < 10 ? 10 : 100) + value) % 97;
  }
  return remainder;
}
