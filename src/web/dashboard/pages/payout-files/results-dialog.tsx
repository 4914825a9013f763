import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { parseCsv } from '../../../../core/csv.ts';
import { type Answer, type CallInput, call } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { useChange, useSending } from '../../data/use-api.ts';
import { formatCount } from '../../ui/counted.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FileInput, TextArea } from '../../ui/field.tsx';
import { Form } from '../../ui/form.tsx';

type Result = CallInput<'recordFileResults'>['body']['results'][number];

/** A file has at most 5,000 payouts. */
const PAGES_MAX = 60;
const PROBLEMS_SHOWN = 20;

/** Reports the results of the payouts in a file: all paid, or as the bank or provider reports. */
export function ResultsDialog({ id, onClose }: { id: string; onClose(): void }) {
  const [text, setText] = useState('');
  const record = useChange('recordFileResults', { quiet: true });
  const client = useQueryClient();
  const all = useSending<Answer<'recordFileResults'>, void>({
    mutationFn: async () => {
      const results = (await readAll(id)).map((payout): Result => ({ id: payout, status: 'paid' }));
      return call('recordFileResults', { parameters: { id }, body: { results } });
    },
    // also after an error: it may be recorded, and the answer lost
    onSettled: () => client.invalidateQueries(),
  });
  const summary = record.data ?? all.data;
  const results = resultsIn(text);
  if (summary !== undefined) {
    return (
      <Dialog title="What was paid" onClose={onClose} className="max-w-lg">
        <Summary summary={summary} onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="What was paid" onClose={onClose} className="max-w-lg">
      <div className="flex flex-col gap-5">
        <div className="flex flex-col items-start gap-2 text-sm">
          <p>The money of every payout arrived:</p>
          <Button busy={all.isPending} onClick={() => all.mutate()}>
            All were paid
          </Button>
          {all.error && (
            <p role="alert" className="text-destructive">
              {all.error.message}
            </p>
          )}
        </div>
        <div className="border-t pt-4">
          <Form
            action={results.length === 0 ? 'Record' : `Record ${formatCount(results.length)}`}
            busy={record.isPending}
            error={record.error}
            disabled={results.length === 0}
            look="primary"
            onSend={() => record.mutate({ parameters: { id }, body: { results } })}
          >
            <TextArea
              label="Or line by line, as CSV"
              mono
              rows={5}
              value={text}
              onText={setText}
              hint="The id in the file, paid or failed, and the reason: P2VB…,failed,AC04 closed account"
            />
            <FileInput
              accept=".csv,text/csv,text/plain"
              aria-label="Choose a CSV file"
              onFile={async (file) => setText((await file?.text()) ?? '')}
            />
          </Form>
        </div>
      </div>
    </Dialog>
  );
}

/** The ids of all payouts in the file. */
async function readAll(id: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const { data, nextCursor } = await call('listPayoutsOfFile', { parameters: { id }, query: { limit: 100, cursor } });
    ids.push(...data.map((payout) => payout.id));
    if (nextCursor === null) break;
    cursor = nextCursor;
  }
  return ids;
}

/** With or without the header `id,status,reason`; the service reports errors in a line. */
function resultsIn(text: string): Result[] {
  const rows = parseCsv(text);
  const hasHeader = rows[0]?.[0]?.trim().toLowerCase() === 'id';
  return rows.slice(hasHeader ? 1 : 0).map(([id = '', status = '', reason = '']) => {
    return { id: id.trim(), status: status.trim().toLowerCase() as Result['status'], reason: reason.trim() || null };
  });
}

function Summary({ summary, onClose }: { summary: Answer<'recordFileResults'>; onClose(): void }) {
  const { paid, failed, unchanged, problems } = summary;
  return (
    <div className="flex flex-col gap-4 text-sm">
      <p role="status">
        {formatCount(paid)} paid, {formatCount(failed)} failed
        {unchanged > 0 && `, ${formatCount(unchanged)} already recorded`}.
      </p>
      {problems.length > 0 && (
        <ul role="alert" className="flex flex-col gap-1.5 rounded-md bg-danger-surface p-3 text-destructive">
          {problems.slice(0, PROBLEMS_SHOWN).map(({ id, message }) => (
            <li key={`${id} ${message}`} className="wrap-anywhere">
              {id}: {message}
            </li>
          ))}
          {problems.length > PROBLEMS_SHOWN && <li>and {formatCount(problems.length - PROBLEMS_SHOWN)} more</li>}
        </ul>
      )}
      <Button look="primary" className="self-start" onClick={onClose}>
        Done
      </Button>
    </div>
  );
}
