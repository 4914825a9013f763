/** Days by owner; on each, something seemed to differ and is to be compared at one instant. */
export class SuspectDays {
  readonly #days = new Map<string, Set<number>>();

  add(owner: string, day: number): void {
    const known = this.#days.get(owner);
    if (known) known.add(day);
    else this.#days.set(owner, new Set([day]));
  }

  /** The days of one owner in order, which are then forgotten. */
  take(owner: string): number[] {
    const days = [...(this.#days.get(owner) ?? [])].sort((a, b) => a - b);
    this.#days.delete(owner);
    return days;
  }

  /** Those whose days were not taken. */
  owners(): string[] {
    return [...this.#days.keys()].sort();
  }
}
