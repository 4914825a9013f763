import { useLocation } from 'wouter';
import { type Answer, ApiError } from '../../../parts/api.ts';
import { PROCESSOR_GUIDES } from '../../data/processor-guides.ts';
import { useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { useMayChange } from '../../shell/session.tsx';
import { Code } from '../../ui/empty.tsx';
import { LeadExample } from '../../ui/lead-example.tsx';
import { Detail, Facts, Part } from '../../ui/split.tsx';
import { Id, MoneyTitle, Time } from '../../ui/values.tsx';
import { PROCESSOR_NAMES } from '../../ui/words.ts';
import { Steps } from '../sales/story.tsx';
import { AttributeForm } from './attribute-form.tsx';

type Parked = Answer<'getParkedPayment'>;

const NO_LONGER_WAITS = new Error('This payment no longer waits: it is a sale by now, or its time is over.');

export function ParkedDetail({ id, back }: { id: string; back: string }) {
  const { data: payment, error, refetch } = useRead('getParkedPayment', { parameters: { id } });
  // by another operator, or by an attempt whose answer was lost
  const isGone = error instanceof ApiError && error.code === 'NOT_FOUND';
  return (
    <Detail
      label="Unattributed payment"
      back={back}
      title={payment ? <MoneyTitle amount={payment.amount} currency={payment.currency} /> : 'Payment'}
    >
      {error && <ProblemPage error={isGone ? NO_LONGER_WAITS : error} retry={refetch} />}
      {payment && !isGone && <ParkedBody payment={payment} />}
    </Detail>
  );
}

function ParkedBody({ payment }: { payment: Parked }) {
  const { customer, references } = payment;
  const [, navigate] = useLocation();
  const mayChange = useMayChange();
  return (
    <>
      <Part title="Why it is waiting">
        <Steps steps={payment.steps} currency={payment.currency} />
      </Part>
      <Hint payment={payment} />
      {mayChange && (
        <Part title="Attribute it by hand">
          <AttributeForm id={payment.id} onDone={({ id }) => navigate(`/sales/${id}`)} />
        </Part>
      )}
      <Part title="What it says">
        <Facts
          items={[
            ['Paid at', <Time iso={payment.occurredAt} />],
            ['Waits until', <Time iso={payment.expiresAt} day />],
            ['Name', customer.name],
            ['E-mail', customer.email],
            ['Your ids', customer.externalIds.length === 0 ? null : <Id>{customer.externalIds.join(', ')}</Id>],
            ['Clicks', customer.clickIds.length === 0 ? null : <Id>{customer.clickIds.join(', ')}</Id>],
            ['Processor’s customer', customer.processorCustomerId && <Id>{customer.processorCustomerId}</Id>],
            ['Subscription', customer.subscriptionId && <Id>{customer.subscriptionId}</Id>],
            ['Invoice', payment.invoiceId && <Id>{payment.invoiceId}</Id>],
            ['References', references.length === 0 ? null : <Id>{references.join(', ')}</Id>],
          ]}
        />
      </Part>
    </>
  );
}

/** What would have told whose payment it is: the id of the customer, or a lead with the id that it has. */
function Hint({ payment: { processor, steps } }: { payment: Parked }) {
  const own = steps.filter(({ step }) => step === 'external_id');
  const unknown = own.find(({ result }) => result === 'not_found')?.value;
  if (unknown != null) {
    return (
      <Part title="Its lead is missing">
        <p className="text-sm text-muted-foreground">
          If a partner referred this customer, report their lead, with the click that brought them. The payment then
          becomes a sale by itself:
        </p>
        <LeadExample externalId={unknown} />
      </Part>
    );
  }
  if (processor === 'custom' || own.length > 0) return null;
  return (
    <Part title={`To avoid this next time: ${PROCESSOR_NAMES[processor]}`}>
      <p className="text-sm text-muted-foreground">
        Set your own id for the customer as svcCustomerExternalId in the checkout:
      </p>
      <Code text={PROCESSOR_GUIDES[processor].checkout} />
    </Part>
  );
}
