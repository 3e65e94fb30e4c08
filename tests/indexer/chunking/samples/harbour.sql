-- What a harbour holds.
CREATE SCHEMA IF NOT EXISTS harbour;

CREATE TYPE harbour.wind AS ENUM ('north', 'south');

create table if not exists harbour.boat (
    id bigint PRIMARY KEY,
    name text NOT NULL
);

CREATE UNIQUE INDEX boat_name ON harbour.boat (name);

-- Boats without a berth.
CREATE OR REPLACE VIEW "harbour"."adrift" AS
SELECT id FROM harbour.boat
WHERE berth IS NULL;

CREATE FUNCTION harbour.moor(boat bigint) RETURNS trigger AS $$
DECLARE
    local integer := 0;
BEGIN
    IF boat IS NULL THEN
        RAISE EXCEPTION 'no boat';
    END IF;
END;
$$ LANGUAGE plpgsql;

INSERT INTO harbour.boat VALUES (1, 'a');

CREATE PROCEDURE [dbo].[Moor Boat] @Id INT AS
BEGIN
  SELECT @Id
END
GO
