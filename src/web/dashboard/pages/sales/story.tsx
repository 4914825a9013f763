import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { Icon, type IconName } from '../../../parts/icons.tsx';
import { ActorName } from '../../ui/actor-name.tsx';
import { asSentence } from '../../ui/sentence.ts';
import { Id, Money, PartnerLink } from '../../ui/values.tsx';

type Step = Answer<'getSale'>['attribution']['steps'][number];

const QUESTIONS: Record<Step['step'], string> = {
  click_id: 'The click that was reported with it',
  external_id: 'Your id of the customer',
  metadata_click_id: 'A click in the metadata',
  processor_customer: 'A known customer of the processor',
  discount_code: 'A discount code',
  email: 'The e-mail address',
  by_hand: 'By hand',
  commission: 'The commission',
  customer: 'The customer',
  self_referral: 'Whether the buyer is the partner',
};

const LOOKS: Record<Step['result'], [icon: IconName, className: string, words: string]> = {
  matched: ['check', 'bg-success-surface text-success', 'Matched'],
  not_found: ['close', 'bg-secondary text-muted-foreground', 'Not found'],
  noted: ['plus', 'bg-accent text-accent-foreground', 'Noted'],
  skipped: ['arrow', 'bg-secondary text-muted-foreground', 'Skipped'],
};

/** How the payment found its partner, question by question. */
export function Story({
  sale: { attribution, currency },
}: {
  sale: Pick<Answer<'getSale'>, 'attribution' | 'currency'>;
}) {
  return <Steps steps={attribution.steps} currency={currency} />;
}

/** What was checked for a payment, in order, with the results. */
export function Steps({ steps, currency }: { steps: readonly Step[]; currency: string | null }) {
  return (
    <ol className="flex flex-col">
      {steps.map(({ step, value, result, reason }, index) => {
        const [icon, className, words] = LOOKS[result];
        return (
          <li key={`${step}${String(index)}`} className="group relative flex gap-3 pb-4 last:pb-0">
            <span className="absolute top-6 bottom-0 left-2.5 w-px bg-border group-last:hidden" />
            <span className={`z-10 grid size-5 shrink-0 place-items-center rounded-full ${className}`}>
              <Icon name={icon} className="size-3" />
            </span>
            <div className="min-w-0 text-sm">
              <p className={result === 'matched' ? 'font-medium' : ''}>
                {QUESTIONS[step]}
                <span className="sr-only">: {words}</span>
              </p>
              <StepValue step={step} value={value} currency={currency} />
              <p className="text-muted-foreground">
                <WithLinks text={asSentence(reason)} />
              </p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

function StepValue({ step, value, currency }: Pick<Step, 'step' | 'value'> & { currency: string | null }) {
  if (value === null) return null;
  if (step === 'self_referral') return <WithLinks text={value} />;
  if (step !== 'commission' || currency === null) return <Id>{value}</Id>;
  return <Money amount={Number(value)} currency={currency} />;
}

const PLACES: Readonly<Record<string, string>> = { lnk: '/links/', sal: '/sales/' };

/** A reason names what it found by id; the ids of partners, links and sales become links, and whoever decided is named. */
export function WithLinks({ text }: { text: string }) {
  return text.split(/((?:ptr|lnk|sal|opr|key)_\w+)/).map((part, index) => {
    // the same part may occur twice
    const key = `${part}${String(index)}`;
    if (part.startsWith('ptr_')) return <PartnerLink key={key} id={part} isInText />;
    if (index % 2 === 1 && /^(opr|key)_/.test(part)) return <ActorName key={key} id={part} />;
    const place = index % 2 === 1 ? PLACES[part.slice(0, 3)] : undefined;
    if (place === undefined) return part;
    return (
      <Link key={key} href={place + part} title={part} className="whitespace-nowrap text-primary underline">
        {part.slice(0, 4)}…{part.slice(-6)}
      </Link>
    );
  });
}
