type Listener = () => void;

/** Which rows of a list are chosen. It lies outside of React, so that a choice renders one row and not the list. */
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

  /** Another set after every change. */
  readonly read = (): ReadonlySet<string> => this.#ids;

  /** How many rows there are to choose from. */
  get size(): number {
    return this.#order.length;
  }

  /** The list shows these rows now; those that are gone are not chosen any more. */
  show(order: readonly string[]): void {
    this.#order = order;
    const shown = new Set(order);
    if ([...this.#ids].some((id) => !shown.has(id))) this.#set([...this.#ids].filter((id) => shown.has(id)));
  }

  /** Chooses a row or takes the choice back; as a range, all rows from the last one that was pressed do as this one. */
  press(id: string, isRange = false): void {
    const isChosen = !this.#ids.has(id);
    const ends = [this.#order.indexOf(this.#anchor ?? ''), this.#order.indexOf(id)].sort((a, b) => a - b);
    const [first = -1, last = -1] = ends;
    this.#change(isRange && first >= 0 ? this.#order.slice(first, last + 1) : [id], isChosen);
    this.#anchor = id;
  }

  /** Chooses every row that the list shows, or none. */
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
