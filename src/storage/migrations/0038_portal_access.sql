-- cost: 3 s and 150 MB per million rows of embed_tokens
-- cost: 3 s and 150 MB per million rows of portal_codes

-- Everything that opens the portal of one partner, to end it.
CREATE INDEX embed_tokens_partner ON embed_tokens (partner_id);
CREATE INDEX portal_codes_partner ON portal_codes (partner_id);
