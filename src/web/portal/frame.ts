const ORIGINATOR = 'Refbridge';

/** The origin of the page around this one; `*` if the browser does not say. Messages contain nothing secret. */
function parentOrigin(): string {
  const [nearest] = location.ancestorOrigins ?? [];
  if (nearest !== undefined && nearest !== 'null') return nearest;
  const { referrer } = document;
  const origin = URL.canParse(referrer) ? new URL(referrer).origin : location.origin;
  return origin === location.origin ? '*' : origin;
}

function post(event: 'PAGE_HEIGHT' | 'ERROR', data: object): void {
  if (window.parent === window) return;
  window.parent.postMessage({ originator: ORIGINATOR, event, data }, parentOrigin());
}

/** Reports to the page around this one what went wrong. Neither text is empty. */
export function postError(code: string, message: string): void {
  post('ERROR', { code: code || 'UNKNOWN', message: message || 'Something went wrong' });
}

/** Reports the height of `element` to the page around this one, whenever it changes and at most once a frame. */
export function followHeight(element: HTMLElement): void {
  let posted = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(element.getBoundingClientRect().height);
    if (height === posted) return;
    posted = height;
    post('PAGE_HEIGHT', { height });
  }).observe(element);
}
