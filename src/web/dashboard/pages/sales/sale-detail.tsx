import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { utcDay } from '../../../parts/time.ts';
import { useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { customerName } from '../../ui/customer-name.ts';
import { AllOfThem, Detail, Facts, Part } from '../../ui/split.tsx';
import { State } from '../../ui/state.tsx';
import { CopyId, Money, MoneyTitle, PartnerLink, Time } from '../../ui/values.tsx';
import { ENTRY_KINDS, OUTCOMES, PROCESSOR_NAMES, REVIEW_STATES } from '../../ui/words.ts';
import { termsInWords } from '../program/terms-in-words.ts';
import { SaleActions } from './sale-actions.tsx';
import { SaleState } from './sale-state.tsx';
import { Story } from './story.tsx';

type Sale = Answer<'getSale'>;

/** One sale: what it earned, for whom, and why. */
export function SaleDetail({ id, back }: { id: string; back: string }) {
  const { data: sale, error, refetch } = useRead('getSale', { parameters: { id } });
  return (
    <Detail
      label="Sale"
      back={back}
      title={sale ? <MoneyTitle amount={sale.amount} currency={sale.currency} /> : 'Sale'}
      actions={sale && <SaleState sale={sale} />}
    >
      {error && <ProblemPage error={error} retry={refetch} />}
      {sale && <SaleBody sale={sale} />}
    </Detail>
  );
}

function SaleBody({ sale }: { sale: Sale }) {
  const { currency, customer } = sale;
  const money = (amount: number) => <Money amount={amount} currency={currency} />;
  return (
    <>
      {sale.review === 'flagged' && <SaleActions id={sale.id} />}
      <Facts
        items={[
          ['Partner', <PartnerLink id={sale.partnerId} name={sale.partnerName} />],
          ['Commission', money(sale.commissionAmount)],
          ['Reversed', sale.reversedCommissionAmount === 0 ? null : money(-sale.reversedCommissionAmount)],
          ['Customer', <CustomerName customer={customer} />],
          ['Your id', customer.externalId && <CopyId>{customer.externalId}</CopyId>],
          ['Bought', sale.eventName],
          ['Paid in total', sale.grossAmount === sale.amount ? null : money(sale.grossAmount)],
          ['Refunded', sale.refundedAmount === 0 ? null : money(sale.refundedAmount)],
          ['Processor', PROCESSOR_NAMES[sale.paymentProcessor]],
          ['Invoice', sale.invoiceId && <CopyId>{sale.invoiceId}</CopyId>],
          ['Paid at', <Time iso={sale.occurredAt} />],
          ['Recorded', isOfAnotherDay(sale) && <Time iso={sale.createdAt} />],
          ['Review', sale.review && <State of={REVIEW_STATES} state={sale.review} />],
          ['Note', sale.note],
          ['Sale', <CopyId>{sale.id}</CopyId>],
        ]}
      />
      <Part title="Why this partner">
        <Story sale={sale} />
      </Part>
      <Part title="Terms of this sale">
        <p className="text-sm">
          {sale.terms === null
            ? 'None were applied: the commission was imported.'
            : `${termsInWords(sale.terms)} These are the terms of the ${sale.terms.source} when it was recorded; later changes do not affect it.`}
        </p>
      </Part>
      {(sale.refunds.length > 0 || sale.disputes.length > 0) && (
        <Part title="Refunds and disputes">
          <ul className="flex flex-col gap-1.5 text-sm">
            {sale.refunds.map((refund) => (
              <Line
                key={`${refund.id}${refund.occurredAt}`}
                what={refund.status === 'failed' ? 'Refund that failed' : 'Refund'}
                at={refund.occurredAt}
              >
                {refund.amount === null ? 'all' : money(-refund.amount)}
              </Line>
            ))}
            {sale.disputes.map((dispute) => (
              <Line key={dispute.id} what={`Dispute, ${dispute.state}`} at={dispute.occurredAt}>
                {money(-dispute.amount)}
              </Line>
            ))}
          </ul>
        </Part>
      )}
      <Part title="Ledger">
        <ul className="flex flex-col gap-1.5 text-sm">
          {sale.entries.map((entry) => (
            <Line key={entry.id} what={<State of={ENTRY_KINDS} state={entry.kind} />} at={entry.createdAt}>
              {entry.payoutId === null ? (
                money(entry.amount)
              ) : (
                <Link href={`/payouts/${entry.payoutId}`} className="hover:underline" title="In this payout">
                  {money(entry.amount)}
                </Link>
              )}
            </Line>
          ))}
        </ul>
        {sale.entries.length === 0 && <p className="text-sm text-muted-foreground">It earned nothing.</p>}
      </Part>
      <SaleDeliveries id={sale.id} />
    </>
  );
}

/** True for a sale that was reported late, or imported. Lists, their dates and reports go by when a sale was recorded. */
function isOfAnotherDay({ occurredAt, createdAt }: Sale): boolean {
  return utcDay(Date.parse(occurredAt)) !== utcDay(Date.parse(createdAt));
}

/** Links to the customer; a guest has no page. */
function CustomerName({ customer }: Pick<Sale, 'customer'>) {
  const { externalId } = customer;
  const words = customerName(customer);
  if (externalId === null) return <bdi>{words}</bdi>;
  return (
    <Link href={`/customers/${encodeURIComponent(externalId)}`} className="text-primary hover:underline">
      <bdi>{words}</bdi>
    </Link>
  );
}

const DELIVERIES_MAX = 20;

/** The deliveries that created or changed the sale; none for a sale that the API reported. */
function SaleDeliveries({ id }: { id: string }) {
  const { data } = useRead('listDeliveries', { query: { saleId: id, limit: DELIVERIES_MAX } });
  if (data === undefined || data.data.length === 0) return null;
  return (
    <Part title="Deliveries">
      <ul className="flex flex-col gap-1.5 text-sm">
        {data.data.map((delivery) => (
          <Line
            key={delivery.id}
            what={
              <Link href={`/deliveries/${delivery.id}`} className="text-primary hover:underline">
                {delivery.eventType ?? 'Delivery'}
              </Link>
            }
            at={delivery.receivedAt}
          >
            <State of={OUTCOMES} state={delivery.outcome} />
          </Line>
        ))}
      </ul>
      <AllOfThem href={data.nextCursor === null ? null : `/deliveries?saleId=${id}`} />
    </Part>
  );
}

interface LineProps {
  what: React.ReactNode;
  at: string;
  children: React.ReactNode;
}

function Line({ what, at, children }: LineProps) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-3">
      <span className="max-w-full truncate">{what}</span>
      <span className="shrink-0 text-xs text-muted-foreground">
        <Time iso={at} />
      </span>
      <span className="ml-auto shrink-0 tabular-nums">{children}</span>
    </li>
  );
}
