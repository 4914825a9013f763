import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icons.tsx';
import { useFilters } from '../../data/filters.ts';
import { useList } from '../../data/use-api.ts';
import { useMayChange } from '../../shell/session.tsx';
import { ARCHIVED_CHOICES } from '../../ui/archiving.tsx';
import { CsvLink } from '../../ui/csv-link.tsx';
import { Code, Empty, NothingFound } from '../../ui/empty.tsx';
import { ChoiceFilter, FilterBar, SearchFilter } from '../../ui/filter-bar.tsx';
import { Page } from '../../ui/page.tsx';
import { Split } from '../../ui/split.tsx';
import { type Column, moreOf, Table } from '../../ui/table.tsx';
import { None, Time } from '../../ui/values.tsx';
import { commissionInWords } from '../program/terms-in-words.ts';
import { PartnerDetail } from './partner-detail.tsx';
import { PartnerDialog } from './partner-dialog.tsx';

type Partner = Answer<'listPartners'>['data'][number];

export default function Partners() {
  const { id } = useParams<{ id?: string }>();
  const filters = useFilters(['search', 'archived']);
  const list = useList('listPartners', filters.values as never);
  const [isNew, setNew] = useState(false);
  const [, navigate] = useLocation();
  const mayChange = useMayChange();
  return (
    <Page
      title="Partners"
      actions={
        <>
          <CsvLink list="partners" filters={filters.values} />
          {mayChange && (
            <Button look="primary" onClick={() => setNew(true)}>
              <Icon name="plus" /> New partner
            </Button>
          )}
        </>
      }
    >
      <Split detail={id === undefined ? null : <PartnerDetail key={id} id={id} back={`/partners${filters.search}`} />}>
        <div className="flex flex-col gap-3">
          <FilterBar
            search={
              <SearchFilter
                label="Name or e-mail"
                value={filters.values.search}
                onText={(text) => filters.set('search', text)}
              />
            }
            count={filters.count}
          >
            <ChoiceFilter
              label="Partners"
              none="active"
              value={filters.values.archived}
              onChoose={(value) => filters.set('archived', value)}
              options={ARCHIVED_CHOICES}
            />
          </FilterBar>
          <Table
            label="Partners"
            columns={COLUMNS}
            rows={list.rows}
            idOf={(partner) => partner.id}
            href={(partner) => `/partners/${partner.id}${filters.search}`}
            openId={id}
            more={moreOf(list)}
            empty={
              filters.isFiltered ? (
                <NothingFound
                  onClear={filters.clear}
                  searched={filters.values.search && 'Only the beginning of a name or an e-mail address is searched.'}
                />
              ) : (
                <NoPartners />
              )
            }
          />
        </div>
      </Split>
      {isNew && (
        <PartnerDialog onClose={() => setNew(false)} onDone={(partner) => navigate(`/partners/${partner.id}`)} />
      )}
    </Page>
  );
}

const COLUMNS: readonly Column<Partner>[] = [
  { name: 'name', label: 'Name', render: ({ name }) => name },
  { name: 'email', label: 'E-mail', under: 'start', render: ({ email }) => email },
  {
    name: 'terms',
    label: 'Own terms',
    width: 'w-28',
    render: ({ commission }) => (commission === null ? <None /> : commissionInWords(commission)),
  },
  {
    name: 'codes',
    label: 'Discount codes',
    from: 'lg',
    render: ({ discountCodes }) => discountCodes.join(', ') || <None />,
  },
  { name: 'tenant', label: 'Your id', from: 'xl', render: ({ tenantId }) => tenantId ?? <None /> },
  { name: 'since', label: 'Since', from: 'lg', width: 'w-32', render: ({ createdAt }) => <Time iso={createdAt} day /> },
];

function NoPartners() {
  return (
    <Empty title="No partner yet">
      <p>A partner has links and earns commission. Enroll one here, or from your own product:</p>
      <Code
        text={`curl ${location.origin}/api/partners \\\n  -H "Authorization: Bearer $REFBRIDGE_API_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{\n    "name": "Ana",\n    "email": "ana@example.com"\n  }'`}
      />
    </Empty>
  );
}
