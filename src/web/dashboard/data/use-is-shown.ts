import { useEffect, useRef } from 'react';

/** Whether the component is still on the page, for what ends later. */
export function useIsShown(): React.RefObject<boolean> {
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
}
