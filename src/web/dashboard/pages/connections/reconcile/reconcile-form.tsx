import { Button } from '../../../../parts/button.tsx';
import { utcDay } from '../../../../parts/time.ts';
import { Field } from '../../../ui/field.tsx';
import { Form, problemOf } from '../../../ui/form.tsx';

interface ReconcileFormProps {
  /** A day in UTC. */
  since: string;
  onSince(since: string): void;
  /** What the processor's API can tell of. */
  reads: string;
  busy: boolean;
  error: Error | null;
  onStart(dryRun: boolean): void;
}

/** From which day to compare: first to look, or to book at once. */
export function ReconcileForm({ since, onSince, reads, busy, error, onStart }: ReconcileFormProps) {
  return (
    <>
      <Form action="Look for what is missing" busy={busy} error={error} onSend={() => onStart(true)}>
        <Field
          label="Since"
          type="date"
          required
          max={utcDay(Date.now())}
          value={since}
          onText={onSince}
          hint={`The day begins at midnight in UTC. What can be read: ${reads}`}
          problem={problemOf(error, 'since')}
        />
      </Form>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button size="small" busy={busy} disabled={since === ''} onClick={() => onStart(false)}>
          Book what is missing
        </Button>
        <p className="min-w-0 flex-1 basis-48 text-xs text-muted-foreground">
          Books it without showing it first. It is safe to repeat: nothing counts twice.
        </p>
      </div>
    </>
  );
}
