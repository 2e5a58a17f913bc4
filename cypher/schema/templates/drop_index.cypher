// An index that failed, dropped so that it can be made again.
DROP INDEX $$index IF EXISTS;
