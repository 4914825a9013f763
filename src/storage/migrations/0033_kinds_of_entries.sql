-- cost: 2 s and 30 MB per million rows of ledger_entries

-- Lists of one kind: most entries are commissions, which these indexes leave out.
CREATE INDEX ledger_entries_kind ON ledger_entries (account_id, kind, id) WHERE kind <> 'commission';
CREATE INDEX ledger_entries_partner_kind ON ledger_entries (partner_id, kind, created_at, id)
  WHERE kind <> 'commission';
