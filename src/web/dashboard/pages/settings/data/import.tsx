import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useList } from '../../../data/use-api.ts';
import { useOnce } from '../../../data/use-once.ts';
import { EarlierImports } from './earlier-imports.tsx';
import { ImportForm } from './import-form.tsx';
import { ImportRun } from './import-run.tsx';
import { type ImportValues, inputOf, NO_VALUES } from './import-values.ts';
import { Section } from './section.tsx';
import { sendImport, useSendingId } from './send-import.ts';

interface ImportProps {
  /** The import that is shown; null for the form. */
  openId: string | null;
  onOpen(id: string | null): void;
}

/** The import form, a dry run, its report, and then the real import. The typed values stay until then. */
export function Import({ openId, onOpen }: ImportProps) {
  const client = useQueryClient();
  const list = useList('listImports', {});
  const [values, setValues] = useState<ImportValues>(NO_VALUES);
  const [sent, setSent] = useState<string | null>(null);
  const { isHeld: isSending, once } = useOnce();
  const sendingId = useSendingId();
  const [error, setError] = useState<Error | null>(null);
  const [closedId, setClosedId] = useState<string | null>(null);
  const underWay = list.rows?.find(({ id, endedAt }) => endedAt === null && id !== closedId);
  const shownId = openId ?? underWay?.id ?? null;
  const readAgain = () => void client.invalidateQueries({ queryKey: ['listImports'] });
  const send = async (dryRun: boolean) => {
    setError(null);
    try {
      await sendImport(inputOf(values, dryRun), values.source === 'csv' ? values.file : null, (id) => {
        setSent(id);
        onOpen(id);
      });
    } catch (thrown) {
      setError(thrown as Error);
    }
    readAgain();
  };
  const isMine = shownId !== null && shownId === sent;
  return (
    <Section
      title="Import"
      about="From another service through its API, or from CSV files. Try it first: a dry run shows what every row would become, and stores nothing."
    >
      {shownId === null ? (
        <ImportForm
          values={values}
          onChange={setValues}
          busy={isSending}
          error={error}
          onSend={() => void once.run(() => send(true))}
        />
      ) : (
        <ImportRun
          id={shownId}
          isSending={shownId === sendingId}
          sendError={isMine ? error : null}
          onRepeat={isMine && !isSending ? () => void once.run(() => send(false)) : null}
          onClose={() => {
            setError(null);
            setClosedId(shownId);
            onOpen(null);
          }}
          onEnd={({ id, status, dryRun }) => {
            // it is no longer under way: its report would give way to the form
            if (openId === null) onOpen(id);
            if (status === 'completed' && !dryRun) setValues(NO_VALUES);
            readAgain();
          }}
        />
      )}
      <EarlierImports list={list} openId={shownId} onOpen={onOpen} />
    </Section>
  );
}
