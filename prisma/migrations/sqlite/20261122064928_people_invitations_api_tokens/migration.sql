-- CreateTable
CREATE TABLE "MachineShare" (
    "userId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "createdBy" TEXT NOT NULL,

    PRIMARY KEY ("userId", "agentId")
);

-- CreateTable
CREATE TABLE "Invitation" (
    "invitationId" TEXT NOT NULL PRIMARY KEY,
    "secretHash" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "agents" TEXT NOT NULL,
    "userId" TEXT,
    "createdBy" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "expiresAt" DATETIME NOT NULL,
    "usedAt" DATETIME,
    "revokedAt" DATETIME,
    "wrongAttempts" INTEGER NOT NULL DEFAULT 0
);

-- CreateTable
CREATE TABLE "ApiToken" (
    "tokenId" TEXT NOT NULL PRIMARY KEY,
    "secretHash" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "scopes" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "expiresAt" DATETIME NOT NULL,
    "lastUsedAt" DATETIME
);

-- CreateIndex
CREATE INDEX "MachineShare_agentId_idx" ON "MachineShare"("agentId");

-- CreateIndex
CREATE INDEX "Invitation_createdAt_idx" ON "Invitation"("createdAt");

-- CreateIndex
CREATE INDEX "ApiToken_userId_idx" ON "ApiToken"("userId");
