/** The key that seals webhook secrets in tests, so that several processes can decrypt them. */
export const TEST_SECRET_KEY = Buffer.alloc(32, 7);
