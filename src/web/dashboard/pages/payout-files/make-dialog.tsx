import { useState } from 'react';
import { Link } from 'wouter';
import { FILE_RAIL_FORMS } from '../../../../rails/forms.ts';
import type { Answer, CallInput } from '../../../parts/api.ts';
import { buttonClass } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { withoutRoutes } from '../../../parts/without-routes.ts';
import { useChange } from '../../data/use-api.ts';
import { counted, formatCount } from '../../ui/counted.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, type Option, Select } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { Money, PartnerLink } from '../../ui/values.tsx';

type Rail = keyof typeof FILE_RAIL_FORMS;

const RAILS = Object.entries(FILE_RAIL_FORMS).map(([rail, { title }]): Option => [rail, title]);
const LEFT_OUT_SHOWN = 20;

/** A field of the form, named by the path of the body member that it fills. */
interface FileField {
  path: string;
  label: string;
  hint?: string;
  isNeeded?: true;
  type?: 'date';
}

const FIELDS: Readonly<Record<Rail, readonly FileField[]>> = {
  paypal: [],
  wise: [
    { path: 'sourceCurrency', label: 'Balance that pays', hint: 'Its currency; by default, that of the payouts.' },
    { path: 'header', label: 'Columns', hint: "The first line of Wise's template, if it differs from ours." },
  ],
  sepa: [
    { path: 'debtor.name', label: 'Name on your account', isNeeded: true },
    { path: 'debtor.iban', label: 'Your IBAN', isNeeded: true },
    { path: 'debtor.bic', label: 'Your BIC', hint: 'Optional.' },
    { path: 'executionDate', label: 'Pay on', type: 'date', hint: 'Today by default.' },
  ],
};

/** Creates a file of all payouts that are ready for one, and lists those that it leaves out. */
export function MakeDialog({ onClose }: { onClose(): void }) {
  const [rail, setRail] = useState<Rail>('sepa');
  const [currency, setCurrency] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const make = useChange('createPayoutFile', { quiet: true });
  const send = () => {
    const body = { rail, currency: currency || null, ...bodyOf(FIELDS[rail], values) };
    make.mutate({ body: body as CallInput<'createPayoutFile'>['body'] });
  };
  return (
    <Dialog title="Create a payout file" onClose={onClose} className="max-w-lg">
      {make.data ? (
        <Made file={make.data} onClose={onClose} />
      ) : (
        <Form action="Create the file" busy={make.isPending} error={make.error} onSend={send}>
          <div className="grid items-start gap-4 sm:grid-cols-2">
            <Select label="For" value={rail} onText={(text) => setRail(text as Rail)} options={RAILS} />
            <Field
              label="Currency"
              value={currency}
              onText={setCurrency}
              placeholder={rail === 'sepa' ? 'EUR' : 'USD'}
              autoComplete="off"
              hint="Required if payouts wait in several."
              problem={problemOf(make.error, 'currency')}
            />
            {FIELDS[rail].map(({ path, label, hint, isNeeded = false, type = 'text' }) => (
              <Field
                key={path}
                label={label}
                type={type}
                autoComplete="off"
                required={isNeeded}
                value={values[path] ?? ''}
                onText={(text) => setValues({ ...values, [path]: text })}
                hint={hint}
                problem={problemOf(make.error, path)}
              />
            ))}
          </div>
          <p className="text-xs text-muted-foreground">
            It contains every{' '}
            <Link href="/payouts?status=processing" className="text-primary underline">
              payout that is to be paid
            </Link>
            , is in no other file, and goes to a partner who is paid this way.
          </p>
        </Form>
      )}
    </Dialog>
  );
}

/** `debtor.iban` → `{debtor: {iban}}`; empty values are omitted. */
function bodyOf(fields: readonly FileField[], values: Readonly<Record<string, string>>): object {
  const body: Record<string, unknown> = {};
  for (const { path } of fields) {
    const text = (values[path] ?? '').trim();
    const [first = '', second] = path.split('.');
    if (second === undefined) body[first] = text || null;
    else body[first] = { ...(body[first] as object | undefined), [second]: text || null };
  }
  return body;
}

function Made({ file, onClose }: { file: Answer<'createPayoutFile'>; onClose(): void }) {
  const { id, fileName, payoutCount, amount, currency, leftOut, leftOutCount, isFull } = file;
  return (
    <div className="flex flex-col gap-4 text-sm">
      <p>
        {counted(payoutCount, 'payout')}, together{' '}
        <Money amount={amount} currency={currency} className="font-semibold" />.
        {isFull && ' It is full, and more wait: create another one.'}
      </p>
      {leftOutCount > 0 && (
        <section aria-label="Left out" className="flex flex-col gap-2 rounded-md border p-3">
          <p className="font-medium">{formatCount(leftOutCount)} left out</p>
          <ul className="flex max-h-48 flex-col gap-1.5 overflow-y-auto">
            {leftOut.slice(0, LEFT_OUT_SHOWN).map(({ payoutId, partnerId, partnerName, reason }) => (
              <li key={payoutId} className="wrap-anywhere">
                <PartnerLink id={partnerId} name={partnerName} isInText />
                <span className="text-muted-foreground">: {withoutRoutes(reason)}.</span>
              </li>
            ))}
            {leftOutCount > LEFT_OUT_SHOWN && <li>and {formatCount(leftOutCount - LEFT_OUT_SHOWN)} more</li>}
          </ul>
        </section>
      )}
      <div className="flex flex-wrap gap-2">
        <a href={`/api/payouts/files/${id}`} download={fileName} className={buttonClass('primary')}>
          <Icon name="deliveries" /> Download
        </a>
        <Link href={`/payout-files/${id}`} className={buttonClass()} onClick={onClose}>
          Show it
        </Link>
      </div>
    </div>
  );
}
