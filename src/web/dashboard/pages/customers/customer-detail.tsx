import { Link } from 'wouter';
import { useList, useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { AllOfThem, Detail, Facts, Part } from '../../ui/split.tsx';
import { CopyId, Money, PartnerLink, Time } from '../../ui/values.tsx';
import { SaleState } from '../sales/sale-state.tsx';

/** Who the customer is, who referred them, and what they have done since. */
export function CustomerDetail({ externalId, back }: { externalId: string; back: string }) {
  const customerRead = useRead('getCustomer', { parameters: { externalId } });
  const { data: customer } = customerRead;
  const leads = useList('listLeads', { customerExternalId: externalId });
  const sales = useList('listSales', { customerExternalId: externalId });
  const error = customerRead.error ?? leads.error ?? sales.error;
  return (
    <Detail label="Customer" back={back} title={customer?.name ?? customer?.email ?? externalId}>
      {error && (
        <ProblemPage
          error={error}
          retry={() => Promise.all([customerRead.refetch(), leads.refetch(), sales.refetch()])}
        />
      )}
      {/* all at once, so that nothing moves */}
      {customer && leads.rows && sales.rows && (
        <>
          <Facts
            items={[
              ['E-mail', customer.email],
              ['Your id', customer.externalId && <CopyId>{customer.externalId}</CopyId>],
              ['Referred by', <PartnerLink id={customer.partnerId} name={customer.partnerName} />],
              ['Since', <Time iso={customer.createdAt} />],
              ['First click', customer.clickId && <CopyId>{customer.clickId}</CopyId>],
              ['Customer', <CopyId>{customer.id}</CopyId>],
            ]}
          />
          <Part title="Leads">
            <ul className="flex flex-col gap-1.5 text-sm">
              {leads.rows.map(({ id, eventName, createdAt }) => (
                <li key={id} className="flex flex-wrap gap-x-3">
                  <span className="min-w-0">{eventName}</span>
                  <span className="ml-auto shrink-0 text-muted-foreground">
                    <Time iso={createdAt} />
                  </span>
                </li>
              ))}
            </ul>
            {leads.rows.length === 0 && <p className="text-sm text-muted-foreground">None was reported.</p>}
          </Part>
          <Part title="Sales">
            <ul className="flex flex-col gap-1.5 text-sm">
              {sales.rows.map((sale) => (
                <li key={sale.id} className="flex flex-wrap items-center gap-x-3">
                  <Link href={`/sales/${sale.id}`} className="min-w-24 text-primary hover:underline">
                    <Time iso={sale.occurredAt} day />
                  </Link>
                  <SaleState sale={sale} />
                  <span className="ml-auto">
                    <Money amount={sale.amount} currency={sale.currency} />
                  </span>
                </li>
              ))}
            </ul>
            <AllOfThem
              href={sales.hasNextPage ? `/sales?customerExternalId=${encodeURIComponent(externalId)}` : null}
            />
            {sales.rows.length === 0 && <p className="text-sm text-muted-foreground">Nothing bought yet.</p>}
          </Part>
        </>
      )}
    </Detail>
  );
}
