/** That somebody has to review a sale says more than that it is on hold, but not more than that it was refunded. */
export function shownStateOf<Status extends string>(sale: {
  status: Status | 'pending';
  review: string | null;
}): Status | 'pending' | 'flagged' {
  return sale.status === 'pending' && sale.review === 'flagged' ? 'flagged' : sale.status;
}
