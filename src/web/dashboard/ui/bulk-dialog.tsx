import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { Form } from './form.tsx';
import { PartnerChooser } from './partner-chooser.tsx';

/** What can be done with all chosen rows of a list. */
export interface BulkAction<Row> {
  /** The button: `Approve`. */
  words: string;
  look?: 'primary' | 'danger';
  /** Asked before, because it cannot be undone: `Approve 3 sales?` */
  question(count: string): string;
  /** What follows from it. */
  hint: string;
  /** What it needs to know, or may be told. */
  asks?: 'partner' | { note: string; hint: string };
  /** Does it for one row; `answer` is what was asked, or ''. */
  run(row: Row, answer: string): Promise<unknown>;
  /** `approved`: after how many. */
  done: string;
}

interface BulkDialogProps<Row> {
  action: BulkAction<Row>;
  /** `3 sales` */
  count: string;
  /** What they come to. */
  sum: ReactNode;
  onConfirm(answer: string): void;
  onClose(): void;
}

/** Says how many and what, before it is done. */
export function BulkDialog<Row>({ action, count, sum, onConfirm, onClose }: BulkDialogProps<Row>) {
  const [answer, setAnswer] = useState('');
  const { asks } = action;
  return (
    <Dialog title={action.question(count)} onClose={onClose}>
      <Form
        action={action.words}
        look={action.look ?? 'primary'}
        busy={false}
        error={null}
        disabled={asks === 'partner' && answer === ''}
        onSend={() => onConfirm(answer)}
      >
        {sum && <p className="text-sm">Together {sum}</p>}
        <p className="text-sm text-muted-foreground">{action.hint}</p>
        {asks === 'partner' && <PartnerChooser value={answer} onChoose={setAnswer} />}
        {typeof asks === 'object' && (
          <Field label={asks.note} hint={asks.hint} value={answer} onText={setAnswer} maxLength={500} />
        )}
      </Form>
    </Dialog>
  );
}
