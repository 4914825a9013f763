/** In ascending order: each role may do what those before it may; a route declares the lowest one that may call it. */
export const OPERATOR_ROLES = ['viewer', 'member', 'owner'] as const;

export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** True when the role includes the rights of `needed`. */
export function hasRole(role: OperatorRole, needed: OperatorRole): boolean {
  return OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(needed);
}
