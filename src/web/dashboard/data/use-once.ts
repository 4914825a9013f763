import { useState } from 'react';
import { Once } from '../../parts/once.ts';

/** Runs what is pressed once; `isHeld` while the next press would be ignored. */
export function useOnce() {
  const [isHeld, setHeld] = useState(false);
  const [once] = useState(() => new Once(setHeld));
  return { isHeld, once };
}
