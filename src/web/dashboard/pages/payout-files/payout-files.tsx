import { useState } from 'react';
import { Link, useParams } from 'wouter';
import { RAIL_FORMS } from '../../../../rails/forms.ts';
import type { Answer } from '../../../parts/api.ts';
import { Button, buttonClass } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { useList } from '../../data/use-api.ts';
import { useMayChange } from '../../shell/session.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { Split } from '../../ui/split.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { Count, Money, Time } from '../../ui/values.tsx';
import { FileDetail } from './file-detail.tsx';
import { FileState } from './file-state.tsx';
import { MakeDialog } from './make-dialog.tsx';

type PayoutFile = Answer<'listPayoutFiles'>['data'][number];

const COLUMNS: Column<PayoutFile>[] = [
  {
    name: 'made',
    label: 'Created',
    under: 'start',
    width: 'w-40',
    render: ({ createdAt }) => <Time iso={createdAt} />,
  },
  {
    name: 'rail',
    label: 'For',
    title: ({ rail }) => RAIL_FORMS[rail].title,
    width: 'w-24',
    render: ({ rail }) => RAIL_FORMS[rail].title,
  },
  { name: 'file', label: 'File', from: 'lg', render: ({ fileName }) => fileName },
  {
    name: 'payouts',
    label: 'Payouts',
    align: 'right',
    width: 'w-20',
    from: 'sm',
    render: ({ payoutCount }) => <Count value={payoutCount} />,
  },
  {
    name: 'amount',
    label: 'Amount',
    align: 'right',
    width: 'w-28 sm:w-32',
    render: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  {
    name: 'state',
    label: 'State',
    under: 'end',
    width: 'w-24',
    render: ({ canceledAt }) => <FileState canceledAt={canceledAt} />,
  },
];

/** Files for banks and providers: created here, downloaded, and completed with the results of their payouts. */
export default function PayoutFiles() {
  const { id } = useParams<{ id?: string }>();
  const list = useList('listPayoutFiles', {});
  const [isMaking, setMaking] = useState(false);
  const mayChange = useMayChange();
  return (
    <Page
      title="Payout files"
      actions={
        mayChange && (
          <Button look="primary" onClick={() => setMaking(true)}>
            <Icon name="plus" /> Create a file
          </Button>
        )
      }
    >
      <Split detail={id === undefined ? null : <FileDetail key={id} id={id} back="/payout-files" />}>
        <Table
          label="Payout files"
          columns={COLUMNS}
          rows={list.rows}
          idOf={(file) => file.id}
          href={(file) => `/payout-files/${file.id}`}
          openId={id}
          more={moreOf(list)}
          empty={<NoFiles />}
        />
      </Split>
      {isMaking && <MakeDialog onClose={() => setMaking(false)} />}
    </Page>
  );
}

function NoFiles() {
  return (
    <Empty title="No file yet">
      <p>
        A file pays many payouts at once: PayPal and Wise take a CSV file, a bank a SEPA credit transfer. It contains
        the payouts to be paid whose partners are paid that way.
      </p>
      <Link href="/payouts?status=processing" className={buttonClass()}>
        See what is to be paid
      </Link>
    </Empty>
  );
}
