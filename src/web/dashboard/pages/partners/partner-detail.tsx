import { useState } from 'react';
import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { currenciesOf } from '../../../parts/money.ts';
import { type ItemOf, useList, useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { useMayChange } from '../../shell/session.tsx';
import { Archiving } from '../../ui/archiving.tsx';
import { counted } from '../../ui/counted.ts';
import { PayoutState } from '../../ui/payout-state.tsx';
import { AllOfThem, Detail, Facts, Part } from '../../ui/split.tsx';
import { CopyId, Id, Money, MoneyCell, Time } from '../../ui/values.tsx';
import { LinkDialog } from '../links/link-dialog.tsx';
import { isEmptyPayout } from '../payouts/is-empty-payout.ts';
import { commissionInWords } from '../program/terms-in-words.ts';
import { PartnerDialog } from './partner-dialog.tsx';
import { PayoutDetails } from './payout-details.tsx';
import { PortalLink } from './portal-link.tsx';

type Partner = Answer<'getPartner'>;

export function PartnerDetail({ id, back }: { id: string; back: string }) {
  const read = useRead('getPartner', { parameters: { id } });
  const { data: partner } = read;
  const earnings = useRead('getPartnerEarnings', { parameters: { id }, query: {} });
  const links = useList('listLinks', { partnerId: id, archived: 'all' });
  const payouts = useList('listPayouts', { partnerId: id });
  const [dialog, setDialog] = useState<'edit' | 'link' | null>(null);
  const reads = [read, earnings, links, payouts];
  const problem = reads.find(({ error }) => error !== null)?.error;
  const mayChange = useMayChange();
  const close = () => setDialog(null);
  return (
    <Detail
      label="Partner"
      back={back}
      title={partner?.name ?? 'Partner'}
      actions={
        partner &&
        mayChange && (
          <Button size="small" onClick={() => setDialog('edit')}>
            Change
          </Button>
        )
      }
    >
      {problem && <ProblemPage error={problem} retry={() => Promise.all(reads.map(({ refetch }) => refetch()))} />}
      {/* all at once, so that nothing moves */}
      {partner && earnings.data && links.rows && payouts.rows && (
        <>
          <PartnerFacts partner={partner} />
          <Earnings earnings={earnings.data.data} />
          <Links
            links={links.rows}
            all={links.hasNextPage ? `/links?partnerId=${id}&archived=all` : null}
            onNew={mayChange ? () => setDialog('link') : undefined}
          />
          <PayoutDetails partner={partner} mayChange={mayChange} />
          <Payouts
            payouts={payouts.rows.filter((payout) => !isEmptyPayout(payout))}
            all={payouts.hasNextPage ? `/payouts?partnerId=${id}` : null}
          />
          {mayChange && <PortalLink partner={partner} />}
          {mayChange && <Archiving subject="Partner" id={partner.id} archivedAt={partner.archivedAt} back={back} />}
        </>
      )}
      {partner && dialog === 'edit' && <PartnerDialog partner={partner} onClose={close} />}
      {dialog === 'link' && <LinkDialog partnerId={id} onClose={close} />}
    </Detail>
  );
}

function PartnerFacts({ partner }: { partner: Partner }) {
  const { data: programs } = useRead('listPrograms', { query: { limit: 100, archived: 'all' } });
  const program = programs?.data.find(({ id }) => id === partner.programId);
  return (
    <Facts
      items={[
        ['E-mail', partner.email],
        ['Program', programs && programs.data.length > 1 && (program?.name ?? <Id>{partner.programId}</Id>)],
        [
          'Earns',
          partner.commission === null
            ? "The program's commission"
            : `${commissionInWords(partner.commission)} (own terms)`,
        ],
        ['Discount codes', partner.discountCodes.join(', ')],
        ['Your id', partner.tenantId && <CopyId>{partner.tenantId}</CopyId>],
        ['Since', <Time iso={partner.createdAt} day />],
        ['Partner', <CopyId>{partner.id}</CopyId>],
        [
          'Results',
          <span className="flex gap-3">
            <Link href={`/sales?partnerId=${partner.id}`} className="text-primary hover:underline">
              Sales
            </Link>
            <Link href={`/ledger?partnerId=${partner.id}`} className="text-primary hover:underline">
              Ledger
            </Link>
          </span>,
        ],
      ]}
    />
  );
}

const SUMS = [
  ['earned', 'Earned', 'Commissions and adjustments, before reversals'],
  ['reversed', 'Reversed', 'For refunds and disputes; an open dispute counts until it is won'],
  ['held', 'On hold', 'Its hold is not over, or it waits for review'],
  ['payable', 'Payable', 'Due, or in payouts that a run started'],
  ['paid', 'Paid', 'In payouts that were marked as paid'],
] as const;

function Earnings({ earnings }: { earnings: Answer<'getPartnerEarnings'>['data'] }) {
  const order = currenciesOf(...earnings.map(({ currency, earned }) => ({ [currency]: earned })));
  const sorted = earnings.toSorted((a, b) => order.indexOf(a.currency) - order.indexOf(b.currency));
  return (
    <Part title="Earnings">
      {sorted.length === 0 && <p className="text-sm text-muted-foreground">Nothing earned yet.</p>}
      <div className="grid gap-2.5 empty:hidden sm:grid-cols-2">
        {sorted.map((sums) => (
          <dl key={sums.currency} className="flex flex-col gap-1.5 rounded-md border p-3 text-sm only:col-span-full">
            {SUMS.map(([name, words, hint]) => (
              <div key={name} className="flex items-baseline justify-between gap-3">
                <dt className="shrink-0 text-muted-foreground" title={hint}>
                  {words}
                </dt>
                <dd className={`text-right ${name === 'payable' ? 'font-semibold' : ''}`}>
                  <MoneyCell amount={sums[name]} currency={sums.currency} />
                </dd>
              </div>
            ))}
          </dl>
        ))}
      </div>
    </Part>
  );
}

interface LinksProps {
  links: readonly ItemOf<'listLinks'>[];
  /** The list with the others. */
  all: string | null;
  onNew: (() => void) | undefined;
}

function Links({ links, all, onNew }: LinksProps) {
  return (
    <Part
      title="Links"
      actions={
        onNew && (
          <Button size="small" onClick={onNew}>
            New link
          </Button>
        )
      }
    >
      {links.length === 0 && (
        <p className="text-sm text-muted-foreground">
          No link yet: without one, only discount codes bring this partner sales.
        </p>
      )}
      <ul className="flex flex-col gap-2 empty:hidden">
        {links.map(({ id: linkId, shortLink, archivedAt, clicks, leads, sales }) => (
          <li key={linkId} className="flex items-center gap-2 text-sm">
            <span className="min-w-0 flex-1">
              <Link href={`/links/${linkId}`} className="block truncate text-primary hover:underline">
                {shortLink.replace(/^https?:\/\//, '')}
              </Link>
              <span className="text-xs text-muted-foreground tabular-nums">
                {counted(clicks, 'click')}, {counted(leads, 'lead')}, {counted(sales, 'sale')}
              </span>
            </span>
            {archivedAt === null ? (
              <CopyButton text={shortLink} label="Copy the link" short />
            ) : (
              <Badge>Archived</Badge>
            )}
          </li>
        ))}
      </ul>
      <AllOfThem href={all} />
    </Part>
  );
}

function Payouts({ payouts, all }: { payouts: readonly ItemOf<'listPayouts'>[]; all: string | null }) {
  if (payouts.length === 0) return null;
  return (
    <Part title="Payouts">
      <ul className="flex flex-col gap-1.5">
        {payouts.map((payout) => (
          <li key={payout.id} className="flex flex-wrap items-center gap-x-3 text-sm">
            <Link href={`/payouts/${payout.id}`} className="min-w-24 text-primary hover:underline">
              <Time iso={payout.createdAt} day />
            </Link>
            <PayoutState payout={payout} />
            <span className="ml-auto">
              <Money amount={payout.amount} currency={payout.currency} />
            </span>
          </li>
        ))}
      </ul>
      <AllOfThem href={all} />
    </Part>
  );
}
