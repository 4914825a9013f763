import { startTransition } from 'react';

/** Laying out and painting more than this in one frame is noticeable while scrolling. */
const PER_FRAME = 1;

interface Waiting {
  /** Pixels between the part and the screen. */
  distance: number;
  change(): void;
}

const opening = new Map<Element, Waiting>();
const closing = new Map<Element, () => void>();
let frame = 0;

/** Shows a part of a list in the next frame, or later when nearer parts wait: a jump requests many at once. */
export function openSoon(part: Element, distance: number, change: () => void): void {
  closing.delete(part);
  opening.set(part, { distance, change });
  if (frame === 0) frame = requestAnimationFrame(changeNext);
}

/** Replaces the part by a gap in the next frame, together with the parts that open, so that the list is laid out once. */
export function closeSoon(part: Element, change: () => void): void {
  opening.delete(part);
  closing.set(part, change);
  if (frame === 0) frame = requestAnimationFrame(changeNext);
}

/** Call it when the part was removed. */
export function forgetPart(part: Element): void {
  opening.delete(part);
  closing.delete(part);
}

function changeNext(): void {
  const nearest = [...opening].sort(([, a], [, b]) => a.distance - b.distance).slice(0, PER_FRAME);
  const changes = [...closing.values(), ...nearest.map(([, { change }]) => change)];
  for (const [part] of nearest) opening.delete(part);
  closing.clear();
  startTransition(() => {
    for (const change of changes) change();
  });
  frame = opening.size === 0 ? 0 : requestAnimationFrame(changeNext);
}
