-- Added in place, since a new table would lose the rows that point at the old one (written by hand).
ALTER TABLE "Session" ADD COLUMN "turnFailed" BOOLEAN NOT NULL DEFAULT false;
