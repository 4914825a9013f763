import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { Field } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { DEFAULT_TYPES, type EventType, EventTypes } from './event-types.tsx';

export interface EndpointText {
  url: string;
  description: string | null;
  types: EventType[];
}

interface EndpointFormProps {
  /** The endpoint as it is now; absent for a new one. */
  endpoint?: Answer<'getEventEndpoint'>;
  action: string;
  busy: boolean;
  error: Error | null;
  onSend(text: EndpointText): void;
}

/** Where events go, and which ones. */
export function EndpointForm({ endpoint, action, busy, error, onSend }: EndpointFormProps) {
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [types, setTypes] = useState<EventType[]>([...(endpoint?.types ?? DEFAULT_TYPES)]);
  return (
    <Form
      action={action}
      busy={busy}
      error={error}
      disabled={types.length === 0}
      onSend={() => onSend({ url, description: description || null, types })}
    >
      <Field
        label="URL"
        required
        placeholder="https://example.com/webhooks/refbridge"
        value={url}
        onText={setUrl}
        problem={problemOf(error, 'url')}
      />
      <Field
        label="Description"
        value={description}
        onText={setDescription}
        hint="Optional: what it is for."
        problem={problemOf(error, 'description')}
      />
      <EventTypes chosen={types} onChoose={setTypes} />
    </Form>
  );
}
