/** Systems and browsers take two presses within this time for a double click. */
const DOUBLE_PRESS_MS = 500;

/**
 * Runs what a press asks for, one at a time. What is pressed meanwhile is ignored, and so is the second press of a
 * double click or a double Enter: it may come before the page shows that it is busy, or after a quick answer.
 */
export class Once {
  #isHeld = false;
  readonly #onHeld: (isHeld: boolean) => void;

  /** `onHeld` receives whether the next press is ignored, whenever that changes. */
  constructor(onHeld: (isHeld: boolean) => void = () => {}) {
    this.#onHeld = onHeld;
  }

  async run(work: () => Promise<unknown>): Promise<void> {
    if (this.#isHeld) return;
    this.#hold(true);
    await Promise.allSettled([work(), new Promise((resolve) => setTimeout(resolve, DOUBLE_PRESS_MS))]);
    this.#hold(false);
  }

  #hold(isHeld: boolean): void {
    this.#isHeld = isHeld;
    this.#onHeld(isHeld);
  }
}
