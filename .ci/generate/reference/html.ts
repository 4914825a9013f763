/** Text that is already HTML. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = Html | string | number | null | false | readonly Value[];

/** HTML in which every value is escaped unless it is HTML itself; null and false become nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(parts.map((part, index) => part + (index < values.length ? asText(values[index]) : '')).join(''));
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function asText(value: Value | undefined): string {
  if (value === null || value === false || value === undefined) return '';
  if (value instanceof Html) return value.text;
  return Array.isArray(value) ? value.map(asText).join('') : escapeHtml(String(value));
}
