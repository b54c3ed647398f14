-- AlterTable
ALTER TABLE "Session" ADD COLUMN "onPermission" TEXT;

-- Runs as lists show them, and those that have not ended.
CREATE INDEX "Session_run" ON "Session"("updatedAt", "pk") WHERE "onPermission" IS NOT NULL;
CREATE INDEX "Session_open_run" ON "Session"("sessionId") WHERE "onPermission" IS NOT NULL AND json_extract("status", '$.status') <> 'ended';
