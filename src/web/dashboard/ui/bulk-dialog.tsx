import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';
import { Form } from './form.tsx';
import { PartnerChooser } from './partner-chooser.tsx';

/** An action for all selected rows of a list. */
export interface BulkAction<Row> {
  /** The text of the button: `Approve`. */
  words: string;
  look?: 'primary' | 'danger';
  /** The question before the action, because it cannot be undone: `Approve 3 sales?` */
  question(count: string): string;
  /** The consequences of the action. */
  hint: string;
  /** What the action needs or accepts as input. */
  asks?: 'partner' | { note: string; hint: string };
  /** Runs the action for one row; `answer` is the input, or ''. */
  run(row: Row, answer: string): Promise<unknown>;
  /** `approved`: follows the count. */
  done: string;
}

interface BulkDialogProps<Row> {
  action: BulkAction<Row>;
  /** `3 sales` */
  count: string;
  /** The sum of the selected rows. */
  sum: ReactNode;
  onConfirm(answer: string): void;
  onClose(): void;
}

/** Shows how many rows and what the action does, before it runs. */
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
        {sum && <p className="text-sm">Total: {sum}</p>}
        <p className="text-sm text-muted-foreground">{action.hint}</p>
        {asks === 'partner' && <PartnerChooser value={answer} onChoose={setAnswer} />}
        {typeof asks === 'object' && (
          <Field label={asks.note} hint={asks.hint} value={answer} onText={setAnswer} maxLength={500} />
        )}
      </Form>
    </Dialog>
  );
}
