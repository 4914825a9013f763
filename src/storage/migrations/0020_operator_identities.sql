-- cost: none

-- Who an operator is at an OpenID provider: kept at the first single sign-on, so that an address may change later.
CREATE TABLE operator_identities (
  operator_id TEXT NOT NULL REFERENCES operators (id),
  issuer TEXT NOT NULL,
  subject TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (operator_id, issuer)
);
CREATE INDEX operator_identities_subject ON operator_identities (issuer, subject);

-- Signing in names no account, and single sign-on needs no password.
DROP INDEX operators_password;
CREATE INDEX operators_by_email ON operators (email, id);
