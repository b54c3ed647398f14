-- Columns are added, tables are not made anew: the triggers of the audit log stay (written by hand).
ALTER TABLE "HubState" ADD COLUMN "auditStart" INTEGER NOT NULL DEFAULT 0;
ALTER TABLE "Audit" ADD COLUMN "address" TEXT;
ALTER TABLE "Audit" ADD COLUMN "hash" TEXT NOT NULL DEFAULT '';

-- CreateIndex
CREATE INDEX "Audit_object_idx" ON "Audit"("object");

-- Rows that are there already have no hash of their own; the first that has one covers them.
UPDATE "HubState" SET "auditStart" = (SELECT coalesce(max("id"), 0) FROM "Audit");
