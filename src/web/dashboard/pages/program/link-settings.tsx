import { useState } from 'react';
import type { Answer } from '../../../parts/api.ts';
import { changesOf } from '../../data/changes.ts';
import { useChange } from '../../data/use-api.ts';
import { Field, TextArea } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { linesOf } from './lines.ts';

/** Where links lead by default, and which pages may report clicks. */
export function LinkSettings({ program }: { program: Answer<'getProgram'> }) {
  const [defaultUrl, setDefaultUrl] = useState(program.defaultUrl ?? '');
  const [deadLinkUrl, setDeadLinkUrl] = useState(program.deadLinkUrl ?? '');
  const [hosts, setHosts] = useState(program.trackedHosts.join('\n'));
  const [opened, setOpened] = useState(program);
  const save = useChange('updateProgram', { done: 'Saved', quiet: true, onDone: setOpened });
  const body = { defaultUrl: defaultUrl || null, deadLinkUrl: deadLinkUrl || null, trackedHosts: linesOf(hosts) };
  return (
    <div className="max-w-xl">
      <Form
        action="Save"
        busy={save.isPending}
        error={save.error}
        onSend={() => save.mutate({ parameters: { id: program.id }, body: changesOf(body, opened) })}
      >
        <Field
          label="First link of a new partner"
          type="url"
          placeholder="https://shop.example.com/"
          value={defaultUrl}
          onText={setDefaultUrl}
          hint="Every new partner gets a link that leads here. Empty: they start without one."
          problem={problemOf(save.error, 'defaultUrl')}
        />
        <Field
          label="Links that do not exist"
          type="url"
          placeholder="https://shop.example.com/"
          value={deadLinkUrl}
          onText={setDeadLinkUrl}
          hint="Where visitors of a mistyped link go, on domains that are only yours. Empty: a small page says so."
          problem={problemOf(save.error, 'deadLinkUrl')}
        />
        <TextArea
          label="Pages that may report clicks"
          rows={3}
          mono
          value={hosts}
          onText={setHosts}
          hint="One host per line, such as shop.example.com. Any host when empty."
          problem={problemOf(save.error, 'trackedHosts') ?? problemOf(save.error, 'trackedHosts.0')}
        />
      </Form>
    </div>
  );
}
