-- The catalog's tables. Ids are never reused (AUTOINCREMENT), since other stores refer to chunks by them.

CREATE TABLE collection (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, repository TEXT NOT NULL,
    embedder TEXT NOT NULL, chunker INTEGER NOT NULL);
CREATE TABLE segment (
    id INTEGER PRIMARY KEY AUTOINCREMENT, collection_id INTEGER NOT NULL REFERENCES collection ON DELETE CASCADE,
    name TEXT NOT NULL UNIQUE, chunks INTEGER NOT NULL DEFAULT 0);
CREATE TABLE file (
    id INTEGER PRIMARY KEY AUTOINCREMENT, collection_id INTEGER NOT NULL REFERENCES collection ON DELETE CASCADE,
    segment_id INTEGER NOT NULL REFERENCES segment, path TEXT NOT NULL, content_id TEXT NOT NULL,
    language TEXT NOT NULL, kind TEXT NOT NULL, generated INTEGER NOT NULL, text BLOB NOT NULL,
    UNIQUE (collection_id, path, content_id));
CREATE INDEX file_of_segment ON file (segment_id);
CREATE TABLE chunk (
    id INTEGER PRIMARY KEY AUTOINCREMENT, file_id INTEGER NOT NULL REFERENCES file ON DELETE CASCADE,
    start_line INTEGER NOT NULL, end_line INTEGER NOT NULL, symbol TEXT NOT NULL, definitions TEXT NOT NULL, text TEXT,
    tokens BLOB NOT NULL);
CREATE INDEX chunk_of_file ON chunk (file_id);
CREATE TABLE snapshot (
    id INTEGER PRIMARY KEY AUTOINCREMENT, collection_id INTEGER NOT NULL REFERENCES collection,
    repository TEXT NOT NULL, ref TEXT NOT NULL, commit_id TEXT NOT NULL, web TEXT, fingerprint TEXT NOT NULL,
    indexed_at TEXT NOT NULL, checked_at TEXT NOT NULL, stale INTEGER NOT NULL DEFAULT 0, address TEXT NOT NULL,
    files INTEGER NOT NULL DEFAULT 0, chunks INTEGER NOT NULL DEFAULT 0, UNIQUE (repository, ref));
-- `aside`: whether the file is generated or vendored in this version (NULL: as its own text says).
CREATE TABLE snapshot_file (
    snapshot_id INTEGER NOT NULL REFERENCES snapshot ON DELETE CASCADE, file_id INTEGER NOT NULL REFERENCES file,
    aside INTEGER, PRIMARY KEY (snapshot_id, file_id)) WITHOUT ROWID;
CREATE INDEX snapshot_of_file ON snapshot_file (file_id);
CREATE TABLE skipped (
    snapshot_id INTEGER NOT NULL REFERENCES snapshot ON DELETE CASCADE, path TEXT NOT NULL, reason TEXT NOT NULL,
    content_id TEXT);
CREATE INDEX skipped_of_snapshot ON skipped (snapshot_id);
