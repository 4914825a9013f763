/** The only secret of endpoints that verifies no delivery, and the address of the API that accepts it. */
export const ACCESS_TOKEN = 'accessToken';
export const API_URL = 'apiUrl';
