/** Days, by owner, on which something seemed to differ; they must be compared again at one instant. */
export class SuspectDays {
  readonly #days = new Map<string, Set<number>>();

  add(owner: string, day: number): void {
    const known = this.#days.get(owner);
    if (known) known.add(day);
    else this.#days.set(owner, new Set([day]));
  }

  /** Removes and returns the days of an owner, ascending. */
  take(owner: string): number[] {
    const days = [...(this.#days.get(owner) ?? [])].sort((a, b) => a - b);
    this.#days.delete(owner);
    return days;
  }

  /** The owners whose days were not taken, sorted. */
  owners(): string[] {
    return [...this.#days.keys()].sort();
  }
}
