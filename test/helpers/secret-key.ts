/** What webhook secrets are sealed with in tests, so that several processes can open them. */
export const TEST_SECRET_KEY = Buffer.alloc(32, 7);
