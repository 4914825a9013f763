/** A sentence for a person who starts the program with an older Node; null if it is new enough. */
export function oldNodeProblem(version: string, path: string, oldest?: string): string | null;

/** Ends a process of an older Node with exit code 4 and that sentence. */
export function requireNode(): void;
