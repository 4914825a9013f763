/** Who may read `/metrics`: nobody, everybody, or who sends the token as a bearer. */
export type MetricsAccess = { kind: 'off' } | { kind: 'public' } | { kind: 'token'; token: string };
