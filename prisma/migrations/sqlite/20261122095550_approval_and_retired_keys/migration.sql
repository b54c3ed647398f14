-- AlterTable
ALTER TABLE "HubState" ADD COLUMN "requireApproval" BOOLEAN NOT NULL DEFAULT false;

-- CreateTable
CREATE TABLE "RetiredKey" (
    "publicKey" TEXT NOT NULL PRIMARY KEY,
    "agentId" TEXT NOT NULL,
    "retiredAt" DATETIME NOT NULL
);

-- CreateIndex
CREATE INDEX "RetiredKey_agentId_idx" ON "RetiredKey"("agentId");
