-- The roles and the database of a cluster. Run it once, on the primary, before it has standbys:
--   runuser -u postgres -- psql -f - < roles.sql
-- It takes three new passwords from the environment: a password in a command is visible to all users
-- of the machine.
\getenv nodes NODES_PASSWORD
\getenv standbys STANDBYS_PASSWORD
\getenv promoter PROMOTER_PASSWORD
SET synchronous_commit = local;

-- The nodes. The role owns its database and creates the tables.
CREATE ROLE adamant LOGIN PASSWORD :'nodes';
CREATE DATABASE adamant OWNER adamant TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8';

-- The standbys, pg_rewind and the base backup.
CREATE ROLE replicator LOGIN REPLICATION PASSWORD :'standbys';
GRANT EXECUTE ON FUNCTION pg_ls_dir(text, boolean, boolean), pg_stat_file(text, boolean),
    pg_read_binary_file(text), pg_read_binary_file(text, bigint, bigint, boolean) TO replicator;

-- The promoter. It reads no table, but REPLICATION, which IDENTIFY_SYSTEM needs, lets it copy the
-- whole database: keep its password as safe as that of the standbys.
CREATE ROLE promoter LOGIN REPLICATION PASSWORD :'promoter';
GRANT pg_monitor TO promoter;
GRANT ALTER SYSTEM ON PARAMETER primary_conninfo TO promoter;
GRANT EXECUTE ON FUNCTION pg_reload_conf(), pg_promote(boolean, integer) TO promoter;
