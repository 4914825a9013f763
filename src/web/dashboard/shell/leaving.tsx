import { useSyncExternalStore } from 'react';
import type { AroundNavHandler } from 'wouter';
import { Button } from '../../parts/button.tsx';
import { createListeners } from '../../parts/listeners.ts';
import { Dialog } from '../ui/dialog.tsx';
import { giveUpPage, lossOfPage } from '../ui/unsent.ts';

interface Question {
  loses: string;
  leave(): void;
}

let question: Question | null = null;
const { subscribe, tell } = createListeners();

function ask(next: Question | null): void {
  question = next;
  tell();
}

/** Leaves the page; if that loses something, only after a question. */
export function leaveBy(leave: () => void, loses = lossOfPage()): void {
  if (loses === null) leave();
  else ask({ loses, leave });
}

/** What a change of the address loses: tabs and filters, which are in the query, keep the page, but not an open dialog. */
function lossBetween(page: string, to: string | URL): string | null {
  const isSamePage = new URL(to, page).pathname === new URL(page).pathname;
  return isSamePage ? lossOfPage((element) => element.closest('dialog[open]') !== null) : lossOfPage();
}

/**
 * For the router: asks before a link or a shortcut leads to another page. As in browsers, a link to the address that is
 * shown adds no step back.
 */
export const aroundNav: AroundNavHandler = (navigate, to, options) => {
  const isHere = new URL(to, location.href).href === location.href;
  leaveBy(() => navigate(to, isHere ? { ...options, replace: true } : options), lossBetween(location.href, to));
};

/** The address of the page that is shown. */
let shown = location.href;

function settle(): void {
  shown = location.href;
}

/** Back and Forward: the browser has already moved, so the page that is shown becomes the next one. */
function onPopState(event: Event): void {
  const loses = lossBetween(shown, location.href);
  if (loses === null) {
    settle();
  } else {
    event.stopImmediatePropagation();
    history.pushState(null, '', shown);
    ask({
      loses,
      leave() {
        giveUpPage();
        history.back();
      },
    });
  }
}

// before the first rendering: the router listens, too, and would show the other page first
addEventListener('popstate', onPopState);
// the router sends these
for (const type of ['pushState', 'replaceState']) addEventListener(type, settle);

/** Asks before the page is left; before it is closed or loaded again, the browser asks. */
export function LeaveQuestion() {
  const asked = useSyncExternalStore(subscribe, () => question);
  if (asked === null) return null;
  const stay = () => ask(null);
  const leave = () => {
    ask(null);
    asked.leave();
  };
  return (
    <Dialog title="Leave this page?" bare onClose={stay} className="max-w-sm">
      <div className="p-5">
        <h2 className="text-base font-semibold">Leave this page?</h2>
        <p className="mt-1 text-sm text-muted-foreground">{asked.loses}</p>
        <div className="mt-5 flex flex-wrap gap-2">
          <Button onClick={stay}>Stay here</Button>
          <Button look="danger" onClick={leave}>
            Leave anyway
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
