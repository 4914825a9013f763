import { useState } from 'react';
import { DAY_MS } from '../../../parts/time.ts';
import { useChange } from '../../data/use-api.ts';
import { counted } from '../../ui/counted.ts';
import { Field } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';

/** A time in a field, in the reader's zone: `2026-11-22T09:30`. */
function fieldTime(time: number): string {
  const offsetMs = new Date(time).getTimezoneOffset() * 60_000;
  return new Date(time - offsetMs).toISOString().slice(0, 16);
}

/** Resends every event of a period, of the types that the endpoint receives. */
export function ResendRange({ id, onDone }: { id: string; onDone(): void }) {
  const [since, setSince] = useState(() => fieldTime(Date.now() - DAY_MS));
  const [until, setUntil] = useState('');
  const resend = useChange('resendEvents', {
    done: ({ count }) => `${counted(count, 'event')} will be sent again`,
    onDone,
    quiet: true,
  });
  const send = () => {
    const isoOf = (text: string) => new Date(text).toISOString();
    const body = { since: isoOf(since), until: until === '' ? null : isoOf(until) };
    resend.mutate({ parameters: { id }, body });
  };
  return (
    <div className="rounded-md border p-3">
      <Form action="Send them again" busy={resend.isPending} error={resend.error} onSend={send}>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <Field
            label="Events since"
            type="datetime-local"
            required
            value={since}
            onText={setSince}
            problem={problemOf(resend.error, 'since')}
          />
          <Field
            label="Until"
            type="datetime-local"
            value={until}
            onText={setUntil}
            hint="Now, if it is empty."
            problem={problemOf(resend.error, 'until')}
          />
        </div>
      </Form>
    </div>
  );
}
