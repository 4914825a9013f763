/** A number, grouped as in the reader's language. */
export function formatCount(value: number): string {
  return new Intl.NumberFormat().format(value);
}

/** `1 click`, `2,182 clicks`, `3 entries` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
