#!/bin/sh
# Copy the gauge book every night at 03:20, and keep fourteen copies.
# The copy is made by SQLite itself: cp would miss what is still in the write-ahead log.
set -eu

book=${1:?usage: backup.sh BOOK FOLDER}
folder=${2:?usage: backup.sh BOOK FOLDER}
keep=14

mkdir -p "$folder"
copy="$folder/pegelbuch-$(date -u +%Y-%m-%d).sqlite"
sqlite3 "$book" "VACUUM INTO '$copy'"
sqlite3 "$copy" "PRAGMA integrity_check" | grep -qx ok

# shellcheck disable=SC2012 # the names are ours, without spaces
ls -1 "$folder"/pegelbuch-*.sqlite | sort -r | tail -n +$((keep + 1)) | while read -r old; do
    rm -- "$old"
done
