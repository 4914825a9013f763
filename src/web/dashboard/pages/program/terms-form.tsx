import type { Answer } from '../../../parts/api.ts';
import { CommissionFields } from '../../ui/commission-fields.tsx';
import { parseAmounts } from '../../ui/commission-text.ts';
import { Check, Field, Select } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { parseTerms, patchOf, type TermsText, termsText } from './terms-text.ts';
import { useProgramForm } from './use-program-form.ts';
import { WorkedExample } from './worked-example.tsx';

type Program = Answer<'getProgram'>;

const DURATIONS = [
  ['all', 'Every payment, without end'],
  ['first', 'Only the first payment'],
  ['months', 'Payments of the first months'],
] as const;

const BASES = [
  ['net', 'What was paid, without tax and shipping'],
  ['gross', 'Everything that was paid, with tax and shipping'],
] as const;

const SELF_REFERRALS = [
  ['off', 'Count it'],
  ['flag', 'Count it, and mark it for review'],
  ['refuse', 'Do not count it'],
] as const;

const SAVED = 'Saved. Sales from now on follow these terms.';

/**
 * What a partner earns, and when. Later sales use the new terms; earlier ones keep the terms under which they were
 * made.
 */
export function TermsForm({ program }: { program: Program }) {
  const { text, set, opened, send, busy, error } = useProgramForm(program, termsText, SAVED);
  const terms = parseTerms(text);
  const body = patchOf(text, opened);
  return (
    <div className="grid grid-cols-1 items-start gap-8 xl:grid-cols-[minmax(0,36rem)_22rem]">
      <Form
        action="Save the terms"
        busy={busy}
        error={error}
        disabled={body === null}
        onSend={() => body && send(body)}
      >
        <Field
          label="Name"
          required
          value={text.name}
          onText={(name) => set({ name })}
          hint="Partners see it."
          problem={problemOf(error, 'name')}
        />
        <Field
          label="Description"
          value={text.description}
          onText={(description) => set({ description })}
          problem={problemOf(error, 'description')}
        />
        <CommissionFields value={text.commission} onChange={(commission) => set({ commission })} />
        <Select
          label="What counts"
          value={text.amountBasis}
          onText={(basis) => set({ amountBasis: basis as TermsText['amountBasis'] })}
          options={BASES}
        />
        <TimeFields text={text} set={set} error={error} />
        <Select
          label="If the buyer looks like the partner"
          value={text.selfReferral}
          onText={(rule) => set({ selfReferral: rule as TermsText['selfReferral'] })}
          options={SELF_REFERRALS}
        />
        <Check
          label="An e-mail address alone may attribute a payment"
          hint="Anyone can type any address: leave it off unless your checkout verifies it."
          checked={text.emailMatching}
          onCheck={(emailMatching) => set({ emailMatching })}
        />
      </Form>
      {terms && <WorkedExample terms={terms} />}
    </div>
  );
}

interface TimeFieldsProps {
  text: TermsText;
  set(changed: Partial<TermsText>): void;
  error: Error | null;
}

/** Which payments earn a commission, and when it is paid. */
function TimeFields({ text, set, error }: TimeFieldsProps) {
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2 *:only:col-span-full">
        <Select
          label="What earns"
          value={text.duration}
          onText={(duration) => set({ duration: duration as TermsText['duration'] })}
          options={DURATIONS}
        />
        {text.duration === 'months' && (
          <Field
            label="Months after the first payment"
            inputMode="numeric"
            required
            value={text.months}
            onText={(months) => set({ months })}
            problem={problemOf(error, 'durationMonths')}
          />
        )}
      </div>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <Field
          label="Days on hold"
          inputMode="numeric"
          required
          value={text.holdDays}
          onText={(holdDays) => set({ holdDays })}
          hint="As long as customers can get a refund."
          problem={/^\d+$/.test(text.holdDays) ? problemOf(error, 'holdDays') : 'A whole number, such as 30'}
        />
        <Field
          label="Smallest payout"
          placeholder="50.00 USD, 45.00 EUR"
          value={text.minimumPayout}
          onText={(minimumPayout) => set({ minimumPayout })}
          hint="Smaller sums wait. Empty for none."
          problem={parseAmounts(text.minimumPayout) === null ? 'Amounts such as 50.00 USD, 45.00 EUR' : undefined}
        />
      </div>
    </>
  );
}
