import { useState } from 'react';
import { Link } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { useList, useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { useMayChange } from '../../shell/session.tsx';
import { Detail, Facts, Part } from '../../ui/split.tsx';
import { State } from '../../ui/state.tsx';
import { Id, Money, Time } from '../../ui/values.tsx';
import { PAYOUT_STATES } from '../../ui/words.ts';
import { LinkDialog } from '../links/link-dialog.tsx';
import { commissionInWords } from '../program/terms-in-words.ts';
import { PartnerDialog } from './partner-dialog.tsx';
import { PortalLink } from './portal-link.tsx';

type Partner = Answer<'getPartner'>;

export function PartnerDetail({ id, back }: { id: string; back: string }) {
  const { data: partner, error, refetch } = useRead('getPartner', { parameters: { id } });
  const [dialog, setDialog] = useState<'edit' | 'link' | null>(null);
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
      {error && <ProblemPage error={error} retry={refetch} />}
      {partner && (
        <>
          <PartnerFacts partner={partner} />
          <Earnings id={id} />
          <Links id={id} onNew={mayChange ? () => setDialog('link') : undefined} />
          <Payouts id={id} />
          {mayChange && <PortalLink partner={partner} />}
        </>
      )}
      {partner && dialog === 'edit' && <PartnerDialog partner={partner} onClose={close} />}
      {dialog === 'link' && <LinkDialog partnerId={id} onClose={close} />}
    </Detail>
  );
}

function PartnerFacts({ partner }: { partner: Partner }) {
  return (
    <Facts
      items={[
        ['E-mail', partner.email],
        [
          'Earns',
          partner.commission === null
            ? "The program's commission"
            : `${commissionInWords(partner.commission)} (own terms)`,
        ],
        ['Discount codes', partner.discountCodes.join(', ')],
        ['Your id', partner.tenantId && <Id>{partner.tenantId}</Id>],
        ['Since', <Time iso={partner.createdAt} day />],
        ['Partner', <Id>{partner.id}</Id>],
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

const SUMS = ['earned', 'reversed', 'held', 'payable', 'paid'] as const;

function Earnings({ id }: { id: string }) {
  const { data } = useRead('getPartnerEarnings', { parameters: { id }, query: {} });
  return (
    <Part title="Earnings">
      {data?.data.length === 0 && <p className="text-sm text-muted-foreground">Nothing earned yet.</p>}
      {data?.data.map((sums) => (
        <dl key={sums.currency} className="grid grid-cols-3 gap-x-3 gap-y-2 rounded-md border p-3 text-sm">
          {SUMS.map((name) => (
            <div key={name}>
              <dt className="text-xs text-muted-foreground capitalize">{name}</dt>
              <dd className={name === 'payable' ? 'font-semibold' : ''}>
                <Money amount={sums[name]} currency={sums.currency} />
              </dd>
            </div>
          ))}
        </dl>
      ))}
    </Part>
  );
}

function Links({ id, onNew }: { id: string; onNew: (() => void) | undefined }) {
  const { rows } = useList('listLinks', { partnerId: id });
  return (
    <Part
      title="Links"
      actions={
        onNew && (
          <Button size="small" look="quiet" onClick={onNew}>
            New link
          </Button>
        )
      }
    >
      {rows?.length === 0 && (
        <p className="text-sm text-muted-foreground">
          No link yet: without one, only discount codes bring this partner sales.
        </p>
      )}
      <ul className="flex flex-col gap-2">
        {rows?.map(({ id: linkId, shortLink, clicks, leads, sales }) => (
          <li key={linkId} className="flex items-center gap-2 text-sm">
            <Link href={`/links/${linkId}`} className="min-w-0 flex-1 truncate text-primary hover:underline">
              {shortLink.replace(/^https?:\/\//, '')}
            </Link>
            <span className="text-xs whitespace-nowrap text-muted-foreground tabular-nums" title="Clicks, leads, sales">
              {clicks} · {leads} · {sales}
            </span>
            <CopyButton text={shortLink} label="Copy the link" short />
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Payouts({ id }: { id: string }) {
  const { rows } = useList('listPayouts', { partnerId: id });
  if (!rows?.length) return null;
  return (
    <Part title="Payouts">
      <ul className="flex flex-col gap-1.5">
        {rows.map((payout) => (
          <li key={payout.id} className="flex items-center gap-3 text-sm">
            <Link href={`/payouts/${payout.id}`} className="text-primary hover:underline">
              <Time iso={payout.createdAt} day />
            </Link>
            <State of={PAYOUT_STATES} state={payout.status} />
            <span className="ml-auto">
              <Money amount={payout.amount} currency={payout.currency} />
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}
