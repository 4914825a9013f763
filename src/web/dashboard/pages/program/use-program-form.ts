import { useState } from 'react';
import type { Answer, CallInput } from '../../../parts/api.ts';
import { useChange } from '../../data/use-api.ts';

type Program = Answer<'getProgram'>;

/**
 * The text of a form of a program, and the program as it was when that was read. Both follow what somebody else saves while
 * nothing is typed; what is typed while the form is being sent stays.
 */
export function useProgramForm<Text extends object>(
  program: Program,
  textOf: (program: Program) => Text,
  done = 'Saved',
) {
  const [text, setText] = useState(() => textOf(program));
  const [sent, setSent] = useState(text);
  const [opened, setOpened] = useState(program);
  const [latest, setLatest] = useState(program);
  if (program !== latest) {
    setLatest(program);
    if (JSON.stringify(text) === JSON.stringify(textOf(opened))) {
      setOpened(program);
      setText(textOf(program));
    }
  }
  const save = useChange('updateProgram', {
    done,
    quiet: true,
    onDone(saved) {
      setOpened(saved);
      setText((now) => (now === sent ? textOf(saved) : now));
    },
  });
  const send = (body: CallInput<'updateProgram'>['body']) => {
    setSent(text);
    save.mutate({ parameters: { id: program.id }, body });
  };
  const set = (changed: Partial<Text>) => setText((before) => ({ ...before, ...changed }));
  return { text, set, opened, send, busy: save.isPending, error: save.error };
}
