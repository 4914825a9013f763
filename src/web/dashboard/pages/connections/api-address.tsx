import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { useChange } from '../../data/use-api.ts';
import { Field } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { PROCESSOR_NAMES } from '../../ui/words.ts';

/** Sets another address of the processor's API. */
export function ApiAddress({ endpoint: { id, processor, apiUrl } }: { endpoint: Answer<'getWebhookEndpoint'> }) {
  const [text, setText] = useState(apiUrl ?? '');
  const change = useChange('updateWebhookEndpoint', { done: 'Saved', quiet: true });
  return (
    <details open={apiUrl !== null} className="text-sm">
      <summary className="cursor-pointer text-muted-foreground">
        Another address of the API, such as that of a sandbox
      </summary>
      <div className="mt-3">
        <Form
          action="Save"
          busy={change.isPending}
          error={change.error}
          onSend={() => change.mutate({ parameters: { id }, body: { apiUrl: text || null } })}
        >
          <Field
            label="Address of the API"
            type="url"
            value={text}
            onText={setText}
            hint={`Used to reconcile. Empty: the usual address of ${PROCESSOR_NAMES[processor]}.`}
            problem={problemOf(change.error, 'apiUrl')}
          />
        </Form>
      </div>
    </details>
  );
}
