import { useState } from 'react';
import { Button, buttonClass } from '../../../../parts/button.tsx';
import { useChange, useRead } from '../../../data/use-api.ts';
import { Count, Time } from '../../../ui/values.tsx';
import { Section } from './section.tsx';

const NEWS_MS = 3_000;

/** Everything as a file. It is created during the download, so the browser's own progress shows its progress. */
export function Export() {
  const [isTaken, setTaken] = useState(false);
  const refetchInterval = isTaken ? NEWS_MS : false;
  const list = useRead('listExports', { query: { limit: 1 } }, { refetchInterval });
  const create = useChange('createExport');
  const last = list.data?.data[0];
  const isReady = last?.status === 'ready';
  return (
    <Section
      title="Export"
      about="Everything in this account as a zip: CSV files to read, and JSON Lines that another Refbridge imports under the same ids."
    >
      {last !== undefined && isReady && (
        <p className="text-sm text-muted-foreground">
          {last.downloadedAt !== null && (
            <>
              Last downloaded on <Time iso={last.downloadedAt} />: <Count value={last.rows ?? 0} /> rows.{' '}
            </>
          )}
          Ready until <Time iso={last.expiresAt} />. The file is created while you download it, from the data of that
          moment.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {last !== undefined && isReady ? (
          <a
            href={`/api/exports/${last.id}/download`}
            download
            className={buttonClass('primary')}
            onClick={() => setTaken(true)}
          >
            Download the zip
          </a>
        ) : (
          <Button busy={create.isPending || list.data === undefined} onClick={() => create.mutate({})}>
            Export everything
          </Button>
        )}
      </div>
      <p className="text-xs text-muted-foreground">
        It contains personal data: keep it where only you can read it. To import it elsewhere, unpack it and run{' '}
        <code className="font-mono">refbridge import refbridge</code> with the folder and your SECRET_KEY. It holds no
        passwords or sessions, so everybody signs in again there.
      </p>
    </Section>
  );
}
