import { useRef, useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { Button } from '../../../parts/button.tsx';
import { changesOf } from '../../data/changes.ts';
import { useChange } from '../../data/use-api.ts';
import { ConfirmButton } from '../../ui/confirm-button.tsx';
import { Code } from '../../ui/empty.tsx';
import { useShownOnce } from '../../ui/unsent.ts';
import { EndpointForm } from './endpoint-form.tsx';
import { ResendRange } from './resend-range.tsx';

interface OutgoingActionsProps {
  endpoint: Answer<'getEventEndpoint'>;
  /** Called after it was deleted. */
  onClose(): void;
}

/** The actions of an outgoing webhook; those that need more input open below. */
export function OutgoingActions({ endpoint, onClose }: OutgoingActionsProps) {
  const { id, enabled } = endpoint;
  const parameters = { id };
  const [opened, setOpened] = useState<'change' | 'resend' | null>(null);
  /** As it was when its form opened: others may change it meanwhile. */
  const [before, setBefore] = useState(endpoint);
  const close = () => setOpened(null);
  const test = useChange('testEventEndpoint', { done: 'A test event is on its way' });
  const switching = useChange('updateEventEndpoint', { done: enabled ? 'Disabled' : 'Enabled' });
  const change = useChange('updateEventEndpoint', { done: 'Saved', onDone: close, quiet: true });
  const rotate = useChange('rotateEventEndpointSecret');
  const remove = useChange('deleteEventEndpoint', { done: 'The endpoint is deleted', onDone: onClose });
  const box = useRef<HTMLDivElement>(null);
  useShownOnce(box, rotate.data && 'The new secret is not shown again.');
  const toggle = (part: 'change' | 'resend') => {
    setBefore(endpoint);
    setOpened(opened === part ? null : part);
  };
  return (
    <div ref={box} className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        <Button size="small" aria-expanded={opened === 'change'} onClick={() => toggle('change')}>
          Change
        </Button>
        {enabled && (
          <>
            <Button size="small" busy={test.isPending} onClick={() => test.mutate({ parameters })}>
              Send a test event
            </Button>
            <Button size="small" aria-expanded={opened === 'resend'} onClick={() => toggle('resend')}>
              Send a period again
            </Button>
          </>
        )}
        <Button
          size="small"
          busy={switching.isPending}
          onClick={() => switching.mutate({ parameters, body: { enabled: !enabled } })}
        >
          {enabled ? 'Disable' : 'Enable'}
        </Button>
        <ConfirmButton
          words="New secret"
          question="Replace the secret?"
          busy={rotate.isPending}
          onConfirm={() => rotate.mutate({ parameters })}
        />
        <ConfirmButton
          words="Delete"
          question="Delete permanently?"
          busy={remove.isPending}
          onConfirm={() => remove.mutate({ parameters })}
        />
      </div>
      <div role="status" className="flex flex-col gap-3 empty:sr-only">
        {rotate.data && (
          <>
            <p>Copy the new secret now: it is not shown again. The old one also signs for 24 hours.</p>
            <Code text={rotate.data.secret} label="Copy the secret" />
          </>
        )}
      </div>
      {opened === 'resend' && enabled && <ResendRange id={id} onDone={close} />}
      {opened === 'change' && (
        <div className="rounded-md border p-3">
          <EndpointForm
            endpoint={before}
            action="Save"
            busy={change.isPending}
            error={change.error}
            onSend={(body) => change.mutate({ parameters, body: changesOf(body, before) })}
          />
        </div>
      )}
    </div>
  );
}
