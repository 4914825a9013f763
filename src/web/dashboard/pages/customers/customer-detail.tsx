import { Link } from 'wouter';
import { useList, useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { Detail, Facts, Part } from '../../ui/split.tsx';
import { State } from '../../ui/state.tsx';
import { Id, Money, PartnerLink, Time } from '../../ui/values.tsx';
import { SALE_STATES } from '../../ui/words.ts';

/** Who it is, who referred them, and what they did since. */
export function CustomerDetail({ externalId, back }: { externalId: string; back: string }) {
  const { data: customer, error, refetch } = useRead('getCustomer', { parameters: { externalId } });
  const leads = useList('listLeads', { customerExternalId: externalId });
  const sales = useList('listSales', { customerExternalId: externalId });
  return (
    <Detail label="Customer" back={back} title={customer?.name ?? customer?.email ?? externalId}>
      {error && <ProblemPage error={error} retry={refetch} />}
      {customer && (
        <Facts
          items={[
            ['E-mail', customer.email],
            ['Your id', <Id>{customer.externalId}</Id>],
            ['Referred by', <PartnerLink id={customer.partnerId} />],
            ['Since', <Time iso={customer.createdAt} />],
            ['First click', customer.clickId && <Id>{customer.clickId}</Id>],
            ['Customer', <Id>{customer.id}</Id>],
          ]}
        />
      )}
      <Part title="Leads">
        <ul className="flex flex-col gap-1.5 text-sm">
          {leads.rows?.map(({ id, eventName, createdAt }) => (
            <li key={id} className="flex justify-between gap-3">
              <span>{eventName}</span>
              <span className="text-muted-foreground">
                <Time iso={createdAt} />
              </span>
            </li>
          ))}
        </ul>
        {leads.rows?.length === 0 && <p className="text-sm text-muted-foreground">None was reported.</p>}
      </Part>
      <Part title="Sales">
        <ul className="flex flex-col gap-1.5 text-sm">
          {sales.rows?.map((sale) => (
            <li key={sale.id} className="flex items-center gap-3">
              <Link href={`/sales/${sale.id}`} className="text-primary hover:underline">
                <Time iso={sale.occurredAt} day />
              </Link>
              <State of={SALE_STATES} state={sale.status} />
              <span className="ml-auto">
                <Money amount={sale.amount} currency={sale.currency} />
              </span>
            </li>
          ))}
        </ul>
        {sales.rows?.length === 0 && <p className="text-sm text-muted-foreground">Nothing bought yet.</p>}
      </Part>
    </Detail>
  );
}
