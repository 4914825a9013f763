import { de } from './de.ts';
import { en, type Words } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { pt } from './pt.ts';

export type { Words } from './en.ts';

const LANGUAGES: Readonly<Record<string, Words>> = { en, de, fr, es, pt, ja };

/**
 * The first wanted language that is available, otherwise English. A wanted region stays in effect for dates and
 * numbers.
 */
export function chooseLanguage(wanted: readonly string[]): { language: string; words: Words } {
  for (const tag of wanted) {
    const words = LANGUAGES[tag.toLowerCase().split(/[-_]/, 1)[0] ?? ''];
    const language = tag.replaceAll('_', '-');
    if (words !== undefined && isLanguageTag(language)) return { language, words };
  }
  return { language: 'en', words: en };
}

/** `fill('{rate} of a sale', {rate: '20%'})` → `20% of a sale`. */
export function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}
