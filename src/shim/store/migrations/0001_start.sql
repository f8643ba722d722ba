-- ORDERED is a text that sorts by bytes. Times are milliseconds since the epoch. Lists and trees that are never searched are JSON.

CREATE TABLE tenant (
  name TEXT PRIMARY KEY,
  settings TEXT NOT NULL
);

CREATE TABLE api_key (
  sha256 TEXT PRIMARY KEY,
  role TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

-- `name` is 'r:' and the id of a resource, or 's:' and the id of the session that alone owns it. `key` is never used twice.
CREATE TABLE sandbox (
  key TEXT PRIMARY KEY,
  name ORDERED NOT NULL UNIQUE,
  kind TEXT NOT NULL,
  labels TEXT NOT NULL,
  spec TEXT NOT NULL,
  state TEXT NOT NULL,
  version BIGINT NOT NULL,
  used_at BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);

CREATE TABLE sandbox_label (
  sandbox_key TEXT NOT NULL REFERENCES sandbox (key) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (name, value, sandbox_key)
);
CREATE INDEX sandbox_label_key ON sandbox_label (sandbox_key);

CREATE TABLE sandbox_event (
  sandbox_id TEXT NOT NULL,
  seq BIGINT NOT NULL,
  event_id TEXT NOT NULL,
  time BIGINT NOT NULL,
  type TEXT NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (sandbox_id, seq)
);

CREATE TABLE sandbox_stream (
  sandbox_id TEXT PRIMARY KEY,
  next_seq BIGINT NOT NULL
);

CREATE TABLE session (
  id ORDERED PRIMARY KEY,
  agent_id TEXT NOT NULL,
  owner TEXT NOT NULL,
  creation TEXT NOT NULL,
  sandbox_name TEXT,
  spec TEXT,
  source TEXT,
  next_seq BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX session_sandbox ON session (sandbox_name);

CREATE TABLE session_event (
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  seq BIGINT NOT NULL,
  event_id TEXT NOT NULL,
  turn_id TEXT,
  time BIGINT NOT NULL,
  source TEXT NOT NULL,
  type TEXT NOT NULL,
  payload TEXT NOT NULL,
  PRIMARY KEY (session_id, seq)
);

-- A turn without `ended_at` is running. The two unique indexes are what makes a sandbox busy: one turn a session, one a sandbox.
CREATE TABLE turn (
  id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL REFERENCES session (id) ON DELETE CASCADE,
  sandbox_key TEXT REFERENCES sandbox (key),
  kind TEXT NOT NULL,
  holder TEXT NOT NULL,
  idempotency_key TEXT,
  lease_until BIGINT NOT NULL,
  used BIGINT NOT NULL,
  started_at BIGINT NOT NULL,
  ended_at BIGINT,
  outcome TEXT
);
CREATE UNIQUE INDEX turn_of_session ON turn (session_id) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX turn_of_sandbox ON turn (sandbox_key) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX turn_idempotency ON turn (session_id, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX turn_lease ON turn (lease_until) WHERE ended_at IS NULL;
CREATE INDEX turn_sandbox ON turn (sandbox_key);

-- A workspace is a manifest: these rows. `content` is the hash of a file or the target of a link; `link` joins the names of one file. Paths and
-- targets are escaped where they are not UTF-8.
CREATE TABLE workspace_file (
  sandbox_key TEXT NOT NULL REFERENCES sandbox (key) ON DELETE CASCADE,
  path ORDERED NOT NULL,
  kind TEXT NOT NULL,
  mode BIGINT NOT NULL,
  seconds BIGINT NOT NULL,
  nanos BIGINT NOT NULL,
  size BIGINT NOT NULL,
  content TEXT,
  link BIGINT,
  PRIMARY KEY (sandbox_key, path)
);
CREATE INDEX workspace_file_content ON workspace_file (content) WHERE kind = 'f';

CREATE TABLE artifact (
  id ORDERED PRIMARY KEY,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  session_id TEXT,
  labels TEXT NOT NULL,
  versions BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);
CREATE INDEX artifact_session ON artifact (session_id);

CREATE TABLE artifact_version (
  artifact_id TEXT NOT NULL REFERENCES artifact (id) ON DELETE CASCADE,
  number BIGINT NOT NULL,
  size BIGINT NOT NULL,
  hash TEXT NOT NULL,
  media_type TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (artifact_id, number)
);
CREATE INDEX artifact_version_hash ON artifact_version (hash);

-- The files of one version of a folder.
CREATE TABLE artifact_file (
  artifact_id TEXT NOT NULL,
  number BIGINT NOT NULL,
  path ORDERED NOT NULL,
  size BIGINT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (artifact_id, number, path),
  FOREIGN KEY (artifact_id, number) REFERENCES artifact_version (artifact_id, number) ON DELETE CASCADE
);
CREATE INDEX artifact_file_hash ON artifact_file (hash);
