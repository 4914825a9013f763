/** The parameters that a redirect writes unless the program sets others. Every program writes at least this one. */
export const CLICK_PARAMETERS: readonly string[] = ['svc_id'];

/** The parameters that name a link on a page of the company unless the program sets others. */
export const VIA_PARAMETERS: readonly string[] = ['via'];

/** A name that needs no encoding in a query and no quotes in a cookie. */
export const PARAMETER_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,49}$/;
