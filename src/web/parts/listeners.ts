/** The listeners of a value outside of the components, which follow it with `useSyncExternalStore`. */
export function createListeners() {
  const listeners = new Set<() => void>();
  return {
    /** Returns what ends it. */
    subscribe(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** The value has changed. */
    tell(): void {
      for (const listener of listeners) listener();
    },
  };
}
