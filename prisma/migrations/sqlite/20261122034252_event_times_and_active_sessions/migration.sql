-- AlterTable
ALTER TABLE "Event" ADD COLUMN "agentAt" BIGINT;

-- The answers of "make an enrollment token" held the token in clear.
DELETE FROM "Idempotency" WHERE "scope" LIKE '% token.make';

-- A machine's live sessions are counted without a look at the others (written by hand).
CREATE INDEX "Session_active" ON "Session"("agentId") WHERE json_extract("status", '$.status') IN ('starting', 'idle', 'running', 'needs_you', 'paused');
