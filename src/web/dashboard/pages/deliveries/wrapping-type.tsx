import { Fragment } from 'react';

/** A processor's type of an event, which breaks after punctuation rather than inside a word. */
export function WrappingType({ children: type }: { children: string }) {
  return type.split(/(?<=[._/:])/).map((part, index) => (
    <Fragment key={`${String(index)}${part}`}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
