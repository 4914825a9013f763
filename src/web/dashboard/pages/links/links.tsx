import { useState } from 'react';
import { useParams } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { CopyButton } from '../../../parts/copy-button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { type Filters, useFilters } from '../../data/filters.ts';
import { daysOf, periodInWords, queryOf } from '../../data/period.ts';
import { useList, useRead } from '../../data/use-api.ts';
import { ProblemPage } from '../../shell/problem.tsx';
import { useMayChange } from '../../shell/session.tsx';
import { ARCHIVED_CHOICES, Archiving } from '../../ui/archiving.tsx';
import { DateFilter } from '../../ui/date-filter.tsx';
import { Empty, NothingFound } from '../../ui/empty.tsx';
import { ChoiceFilter, FilterBar, SearchFilter } from '../../ui/filter-bar.tsx';
import { Page } from '../../ui/page.tsx';
import { PartnerChip } from '../../ui/partner-chip.tsx';
import { Detail, Facts, Split } from '../../ui/split.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { CopyId, Count, MoneyList, PartnerLink, PartnerValue, Time } from '../../ui/values.tsx';
import { commissionInWords } from '../program/terms-in-words.ts';
import { LinkDialog } from './link-dialog.tsx';

type LinkResource = Answer<'listLinks'>['data'][number];

const FILTERS = ['search', 'period', 'partnerId', 'archived'] as const;
type LinkFilters = Filters<(typeof FILTERS)[number]>;

export default function Links() {
  const { id } = useParams<{ id?: string }>();
  const filters = useFilters(FILTERS);
  const { values, set } = filters;
  const list = useList('listLinks', queryOf(values) as never);
  const [isNew, setNew] = useState(false);
  const mayChange = useMayChange();
  return (
    <Page
      title="Links"
      actions={
        mayChange && (
          <Button look="primary" onClick={() => setNew(true)}>
            <Icon name="plus" /> New link
          </Button>
        )
      }
    >
      <Split
        detail={
          id === undefined ? null : (
            <LinkDetail key={id} id={id} period={values.period} back={`/links${filters.search}`} />
          )
        }
      >
        <div className="flex flex-col gap-3">
          <FilterBar
            search={<SearchFilter label="Key" value={values.search} onText={(text) => set('search', text)} />}
            count={filters.count}
          >
            <DateFilter
              label="Results"
              value={values.period}
              onChoose={(value) => set('period', value)}
              what="the day of each click, lead and sale"
            />
            <ChoiceFilter
              label="Links"
              none="in use"
              value={values.archived}
              onChoose={(value) => set('archived', value)}
              options={ARCHIVED_CHOICES}
            />
            <PartnerChip id={values.partnerId} onRemove={() => set('partnerId', '')} />
          </FilterBar>
          <Table
            label="Links"
            columns={columnsOf(filters)}
            rows={list.rows}
            idOf={(link) => link.id}
            href={(link) => `/links/${link.id}${filters.search}`}
            openId={id}
            more={moreOf(list)}
            empty={
              filters.isFiltered ? (
                <NothingFound
                  onClear={filters.clear}
                  searched={filters.values.search && 'Only the beginning of a key is searched.'}
                />
              ) : (
                <NoLinks />
              )
            }
          />
        </div>
      </Split>
      {isNew && <LinkDialog partnerId={values.partnerId} onClose={() => setNew(false)} />}
    </Page>
  );
}

function columnsOf({ set }: LinkFilters): Column<LinkResource>[] {
  return [
    {
      name: 'link',
      label: 'Link',
      render: ({ shortLink }) => <span title={shortLink}>{shortLink.replace(/^https?:\/\//, '')}</span>,
    },
    {
      name: 'partner',
      label: 'Partner',
      under: 'start',
      width: 'w-44',
      render: ({ partnerId, partnerName }) => (
        <PartnerValue id={partnerId} name={partnerName} onFilter={(value) => set('partnerId', value)} />
      ),
    },
    {
      name: 'clicks',
      label: 'Clicks',
      align: 'right',
      width: 'w-16 sm:w-20',
      render: ({ clicks }) => <Count value={clicks} />,
    },
    {
      name: 'leads',
      label: 'Leads',
      align: 'right',
      width: 'w-20',
      from: 'sm',
      render: ({ leads }) => <Count value={leads} />,
    },
    {
      name: 'sales',
      label: 'Sales',
      align: 'right',
      width: 'w-16 sm:w-20',
      render: ({ sales }) => <Count value={sales} />,
    },
    {
      name: 'revenue',
      label: 'Revenue',
      align: 'right',
      width: 'w-36',
      from: 'lg',
      render: ({ revenue }) => <MoneyList amounts={revenue} />,
    },
    {
      name: 'commission',
      label: 'Commission',
      align: 'right',
      width: 'w-36',
      from: 'xl',
      render: ({ earnedCommission }) => <MoneyList amounts={earnedCommission} />,
    },
  ];
}

interface LinkDetailProps {
  id: string;
  /** The period of the results. */
  period: string | undefined;
  back: string;
}

function LinkDetail({ id, period, back }: LinkDetailProps) {
  const query = daysOf(period, Date.now()) ?? {};
  const { data: link, error, refetch } = useRead('getLink', { parameters: { id }, query });
  const [isChanging, setChanging] = useState(false);
  const mayChange = useMayChange();
  return (
    <Detail
      label="Link"
      back={back}
      title={link ? `/${link.key}` : 'Link'}
      actions={
        link &&
        mayChange && (
          <Button size="small" onClick={() => setChanging(true)}>
            Change
          </Button>
        )
      }
    >
      {error && <ProblemPage error={error} retry={refetch} />}
      {link && (
        <>
          <div className="flex flex-wrap items-center gap-2">
            <code className="min-w-0 flex-1 basis-44 text-sm break-all">{link.shortLink}</code>
            <CopyButton text={link.shortLink} label="Copy the link" />
          </div>
          <Facts
            items={[
              [
                'Leads to',
                <a href={link.url} className="break-all text-primary hover:underline" rel="noreferrer">
                  {link.url}
                </a>,
              ],
              ['Partner', <PartnerLink id={link.partnerId} name={link.partnerName} />],
              ['Earns', link.commission === null ? "The partner's terms" : commissionInWords(link.commission)],
              ['Results', periodInWords(period, Date.now())],
              ['Clicks', <Count value={link.clicks} />],
              ['Leads', <Count value={link.leads} />],
              ['Sales', <Count value={link.sales} />],
              ['Revenue', <MoneyList amounts={link.revenue} align="left" />],
              ['Commission', <MoneyList amounts={link.earnedCommission} align="left" />],
              ['Created', <Time iso={link.createdAt} day />],
              ['Link', <CopyId>{link.id}</CopyId>],
            ]}
          />
          {mayChange && <Archiving subject="Link" id={link.id} archivedAt={link.archivedAt} back={back} />}
        </>
      )}
      {link && isChanging && <LinkDialog link={link} onClose={() => setChanging(false)} />}
    </Detail>
  );
}

function NoLinks() {
  return (
    <Empty title="No link yet">
      <p>
        A partner shares a link such as {location.host}/ana. Whoever follows it is theirs: the visit is counted, and
        what they buy later earns commission. Enroll a partner, then create their link here.
      </p>
    </Empty>
  );
}
