/**
 * A number that every cached link of this process carries. It grows when many links may have changed at once, because a
 * partner or a program was archived.
 */
export const createLinksGeneration = () => ({ number: 0 });
