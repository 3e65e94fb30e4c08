#!/bin/sh
# Random secrets for compose.yaml, one file each, where there are none yet.
set -eu
cd "$(dirname "$0")"
mkdir -p secrets
secret() { test -s "secrets/$1" || printf %s "$2" > "secrets/$1"; }
random() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }
secret postgres_password "$(random)"
secret repopilot_api_token "$(random)"
secret repopilot_database_url "postgresql://repopilot:$(cat secrets/postgres_password)@postgres/repopilot"
# The image's user is none of this machine's: the folder keeps others out, the files let the container in.
chmod 700 secrets
chmod 644 secrets/*
echo "The key to ask with is in deploy/secrets/repopilot_api_token."
