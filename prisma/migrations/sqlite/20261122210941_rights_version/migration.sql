-- Columns are added, tables are not made anew: the triggers of the audit log stay. Those that raise the number are made at each
-- start of the hub (`rights-triggers.ts`), since a migration that makes a table anew drops its triggers.
ALTER TABLE "Command" ADD COLUMN "tokenId" TEXT;
ALTER TABLE "HubState" ADD COLUMN "rightsVersion" INTEGER NOT NULL DEFAULT 0;
