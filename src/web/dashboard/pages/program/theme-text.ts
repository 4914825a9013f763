/** `--primary: #0f766e;` per line. */
export function cssText(properties: Readonly<Record<string, string>>): string {
  return Object.entries(properties)
    .map(([name, value]) => `--${name}: ${value};`)
    .join('\n');
}

/** The custom properties in pasted CSS, without their dashes; selectors and everything else are ignored. */
export function parseCss(text: string): Record<string, string> {
  const found = text.matchAll(/(?:--)?([a-z][a-z0-9-]*)\s*:\s*([^;{}\n]+)/g);
  return Object.fromEntries([...found].map(([, name = '', value = '']) => [name, value.trim()]));
}

/** A merge patch that also removes the missing members. */
export function replacedMembers(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string> {
  const gone = Object.keys(before).filter((name) => !(name in after));
  return { ...Object.fromEntries(gone.map((name) => [name, null])), ...after } as Record<string, string>;
}
