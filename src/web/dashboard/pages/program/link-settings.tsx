import type { Answer } from '../../../parts/api.ts';
import { changesOf } from '../../data/changes.ts';
import { Field, TextArea } from '../../ui/field.tsx';
import { Form, problemOf } from '../../ui/form.tsx';
import { linesOf } from './lines.ts';
import { useProgramForm } from './use-program-form.ts';

type Program = Answer<'getProgram'>;

const linksText = ({ defaultUrl, deadLinkUrl, trackedHosts }: Program) => ({
  defaultUrl: defaultUrl ?? '',
  deadLinkUrl: deadLinkUrl ?? '',
  hosts: trackedHosts.join('\n'),
});

/** Where links lead by default, and which pages may report clicks. */
export function LinkSettings({ program }: { program: Program }) {
  const { text, set, opened, send, busy, error } = useProgramForm(program, linksText);
  const { defaultUrl, deadLinkUrl, hosts } = text;
  const body = { defaultUrl: defaultUrl || null, deadLinkUrl: deadLinkUrl || null, trackedHosts: linesOf(hosts) };
  return (
    <div className="max-w-xl">
      <Form action="Save" busy={busy} error={error} onSend={() => send(changesOf(body, opened))}>
        <Field
          label="First link of a new partner"
          type="url"
          placeholder="https://shop.example.com/"
          value={defaultUrl}
          onText={(url) => set({ defaultUrl: url })}
          hint="Every new partner gets a link that leads here. Empty: they start without one."
          problem={problemOf(error, 'defaultUrl')}
        />
        <Field
          label="Links that do not exist"
          type="url"
          placeholder="https://shop.example.com/"
          value={deadLinkUrl}
          onText={(url) => set({ deadLinkUrl: url })}
          hint="Where visitors of a mistyped link go, on domains that are only yours. Empty: a small page says so."
          problem={problemOf(error, 'deadLinkUrl')}
        />
        <TextArea
          label="Pages that may report clicks"
          rows={3}
          mono
          value={hosts}
          onText={(lines) => set({ hosts: lines })}
          hint="One host per line, such as shop.example.com. Any host when empty."
          problem={problemOf(error, 'trackedHosts')}
        />
      </Form>
    </div>
  );
}
