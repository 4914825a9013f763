import { useFilters } from '../../data/filters.ts';
import { Page } from '../../ui/page.tsx';
import { TabPanel, Tabs } from '../../ui/tabs.tsx';
import { ApiKeys } from './api-keys.tsx';
import { AuditLog } from './audit-log.tsx';
import { Data } from './data/data.tsx';
import { Operators } from './operators.tsx';
import { Sessions } from './sessions.tsx';
import { You } from './you.tsx';

const TABS = [
  ['keys', 'API keys'],
  ['operators', 'Operators'],
  ['you', 'You'],
  ['sessions', 'Sessions'],
  ['data', 'Data'],
  ['log', 'Audit log'],
] as const;

const PARTS = { keys: ApiKeys, operators: Operators, you: You, sessions: Sessions, data: Data, log: AuditLog };

export default function Settings() {
  const { values, set } = useFilters(['tab']);
  const tab = TABS.find(([name]) => name === values.tab)?.[0] ?? 'keys';
  return (
    <Page title="Settings">
      <Tabs label="Settings" tabs={TABS} chosen={tab} onChoose={(name) => set('tab', name)} />
      {TABS.map(([name]) => {
        const Part = PARTS[name];
        return (
          <TabPanel key={name} isChosen={tab === name}>
            <Part />
          </TabPanel>
        );
      })}
    </Page>
  );
}
