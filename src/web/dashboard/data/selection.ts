type Listener = () => void;

/**
 * Which rows of a list are selected. It lives outside of React, so that selecting a row renders that row and not the
 * list.
 */
export class Selection {
  #ids: ReadonlySet<string> = new Set();
  #order: readonly string[] = [];
  /** Where a range begins. */
  #anchor: string | null = null;
  readonly #listeners = new Set<Listener>();

  readonly subscribe = (listener: Listener): Listener => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** A new set after every change. */
  readonly read = (): ReadonlySet<string> => this.#ids;

  /** How many rows the list shows. */
  get size(): number {
    return this.#order.length;
  }

  /** Sets the rows that the list shows; rows that are gone are no longer selected. */
  show(order: readonly string[]): void {
    this.#order = order;
    const shown = new Set(order);
    if ([...this.#ids].some((id) => !shown.has(id))) this.#set([...this.#ids].filter((id) => shown.has(id)));
  }

  /** Selects a row or deselects it; as a range, all rows from the one pressed last get the same state. */
  press(id: string, isRange = false): void {
    const isChosen = !this.#ids.has(id);
    const ends = [this.#order.indexOf(this.#anchor ?? ''), this.#order.indexOf(id)].sort((a, b) => a - b);
    const [first = -1, last = -1] = ends;
    this.#change(isRange && first >= 0 ? this.#order.slice(first, last + 1) : [id], isChosen);
    this.#anchor = id;
  }

  /** Selects every row that the list shows, or none. */
  pressAll(): void {
    this.#change(this.#order, this.#ids.size < this.#order.length);
  }

  remove(id: string): void {
    this.#change([id], false);
  }

  clear(): void {
    this.#anchor = null;
    if (this.#ids.size > 0) this.#set([]);
  }

  #change(ids: readonly string[], isChosen: boolean): void {
    const next = new Set(this.#ids);
    for (const id of ids) {
      if (isChosen) next.add(id);
      else next.delete(id);
    }
    this.#set(next);
  }

  #set(ids: Iterable<string>): void {
    this.#ids = new Set(ids);
    for (const listener of this.#listeners) listener();
  }
}
