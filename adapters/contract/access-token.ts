/** The name of the only secret of endpoints that verifies no delivery. */
export const ACCESS_TOKEN = 'accessToken';
