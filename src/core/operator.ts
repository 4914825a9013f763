/** What an operator may do, from the least: read; change everything but operators; everything. */
export const OPERATOR_ROLES = ['viewer', 'member', 'owner'] as const;

export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** True when the role includes what `needed` may do. */
export function hasRole(role: OperatorRole, needed: OperatorRole): boolean {
  return OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(needed);
}
