import { z } from 'zod';
import { CLICK_PARAMETERS, PARAMETER_NAME, VIA_PARAMETERS } from '../core/tracking-parameters.ts';
import { text, withDefault } from '../schema/fields.ts';

const NAMES_MAX = 10;

export const CLICK_PARAMETERS_TEXT =
  'The parameters in which a redirect carries the click id. Others can be added to `svc_id`, which cannot be removed.';
export const VIA_PARAMETERS_TEXT =
  'The parameters that name a link on your own pages, for tags of `/script.js` with `data-via="auto"`.';

const parameterNameField = text(50).regex(
  PARAMETER_NAME,
  'must start with a letter or _ and contain only letters, digits and _ . -',
);

const namesField = z
  .array(parameterNameField)
  .max(NAMES_MAX, `must have at most ${NAMES_MAX} names`)
  .overwrite((names) => [...new Set(names)]);

export const clickParametersField = withDefault(
  namesField.refine(
    (names) => CLICK_PARAMETERS.every((name) => names.includes(name)),
    `must contain ${CLICK_PARAMETERS.join(', ')}, which your pages already read`,
  ),
  [...CLICK_PARAMETERS],
).describe(CLICK_PARAMETERS_TEXT);

export const viaParametersField = withDefault(
  namesField.refine(
    (names) => !CLICK_PARAMETERS.some((name) => names.includes(name)),
    `must not contain ${CLICK_PARAMETERS.join(', ')}, which carries the click id`,
  ),
  [...VIA_PARAMETERS],
).describe(VIA_PARAMETERS_TEXT);
