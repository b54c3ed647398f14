-- CreateTable
CREATE TABLE "ReturnedHead" (
    "agentId" TEXT NOT NULL,
    "hubEpoch" TEXT NOT NULL,
    "id" INTEGER NOT NULL,
    "hash" TEXT NOT NULL,
    "at" DATETIME NOT NULL,
    "count" INTEGER NOT NULL,
    "returnedAt" DATETIME NOT NULL,

    PRIMARY KEY ("agentId", "hubEpoch")
);

-- AlterTable
ALTER TABLE "HubState" ADD COLUMN "auditHeads" INTEGER NOT NULL DEFAULT 0;
