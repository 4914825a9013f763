import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { Icon } from '../../../parts/icons.tsx';

type Setup = Answer<'getOverview'>['setup'];

const STEPS: readonly [name: keyof Setup, words: string, path: string][] = [
  ['endpoint', 'Connect a payment processor', '/connections'],
  ['delivery', 'Receive its first delivery', '/deliveries'],
  ['partner', 'Enroll a partner', '/partners'],
  ['link', 'Create a link', '/links'],
  ['click', 'Follow the link', '/links'],
  ['lead', 'Report a lead when somebody signs up', '/customers'],
  ['sale', 'Count a sale', '/sales'],
  ['allowedOrigin', 'Allow your product to embed the portal', '/program?tab=origins'],
];

/** With fewer steps left than this, the finished ones are no longer listed. */
const LEFT_MAX = 4;

/** What still has to be set up; disappears when everything is done. */
export function Checklist({ setup }: { setup: Setup }) {
  const done = STEPS.filter(([name]) => setup[name]).length;
  if (done === STEPS.length) return null;
  const next = STEPS.find(([name]) => !setup[name])?.[0];
  // near the end only the remaining steps, so that the list does not push the figures down
  const shown = STEPS.length - done > LEFT_MAX ? STEPS : STEPS.filter(([name]) => !setup[name]);
  return (
    <section className="rounded-lg border bg-card p-4">
      <div className="flex items-baseline justify-between gap-3">
        <h2 className="text-sm font-semibold">Setup</h2>
        <span className="text-xs text-muted-foreground tabular-nums">
          {done} of {STEPS.length} done
        </span>
      </div>
      <ol className="mt-2 grid gap-x-4 sm:grid-cols-[repeat(auto-fit,minmax(14rem,1fr))]">
        {shown.map(([name, words, path]) => (
          <li key={name}>
            <Link href={path} className="-mx-2 flex items-start gap-2 rounded-md px-2 py-1.5 text-sm hover:bg-muted">
              <span
                className={`mt-px grid size-4.5 shrink-0 place-items-center rounded-full border ${setup[name] ? 'border-transparent bg-success-surface text-success' : 'border-input'}`}
              >
                {setup[name] && <Icon name="check" className="size-3" />}
              </span>
              <span className={setup[name] ? 'text-muted-foreground' : name === next ? 'font-medium text-primary' : ''}>
                {words}
              </span>
              {setup[name] && <span className="sr-only">, done</span>}
            </Link>
          </li>
        ))}
      </ol>
    </section>
  );
}
