import { Fragment } from 'react';

/** A processor's name of an event, which breaks after a period or an underscore rather than inside a word. */
export function EventType({ children: type }: { children: string }) {
  return type.split(/(?<=[._/:])/).map((part, index) => (
    <Fragment key={`${String(index)}${part}`}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
