import type { Processor } from '../../core/processor.ts';

/** A member of a query or a body, as far as its option needs it. */
export interface Field {
  name: string;
  /** The JSON types that it accepts, such as `boolean`, `string`, `array` and `null`. */
  types: readonly string[];
  /** The words that it accepts, if it is a choice. */
  choices?: readonly string[];
  isRequired?: true;
  /** What applies when it is left out, as people write it: `30`, `20%`, `true`. Without one, or with an empty one, none. */
  defaultText?: string;
  description?: string;
}

/** What an operation takes; a member without fields is left out. */
export interface OperationFields {
  /** Without `cursor` and `limit`. */
  query?: readonly Field[];
  body?: readonly Field[];
  /** The body is a change of these fields: `null` resets one. */
  isChange?: true;
}

/** A setting or a secret that the webhook endpoints of some processors have. */
export interface EndpointField extends Field {
  kind: 'setting' | 'secret';
  /** The name under which the resource shows whether a secret is set. */
  shownAs?: string;
  processors: readonly Processor[];
}
