-- CreateTable
CREATE TABLE "User" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "email" TEXT NOT NULL,
    "emailVerified" BOOLEAN NOT NULL DEFAULT false,
    "image" TEXT,
    "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "role" TEXT,
    "banned" BOOLEAN DEFAULT false,
    "banReason" TEXT,
    "banExpires" DATETIME
);

-- CreateTable
CREATE TABLE "AuthSession" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "expiresAt" DATETIME NOT NULL,
    "token" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ipAddress" TEXT,
    "userAgent" TEXT,
    "userId" TEXT NOT NULL,
    "impersonatedBy" TEXT,
    CONSTRAINT "AuthSession_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "Account" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "accountId" TEXT NOT NULL,
    "providerId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "accessToken" TEXT,
    "refreshToken" TEXT,
    "idToken" TEXT,
    "accessTokenExpiresAt" DATETIME,
    "refreshTokenExpiresAt" DATETIME,
    "scope" TEXT,
    "password" TEXT,
    "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    CONSTRAINT "Account_userId_fkey" FOREIGN KEY ("userId") REFERENCES "User" ("id") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "Verification" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "identifier" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "expiresAt" DATETIME NOT NULL,
    "createdAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updatedAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP
);

-- CreateTable
CREATE TABLE "RateLimit" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "key" TEXT NOT NULL,
    "count" INTEGER NOT NULL,
    "lastRequest" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "Setup" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT DEFAULT 1,
    "codeHash" TEXT NOT NULL,
    "expiresAt" DATETIME NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "usedAt" DATETIME
);

-- CreateTable
CREATE TABLE "HubState" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT DEFAULT 1,
    "hubId" TEXT NOT NULL,
    "hubEpoch" TEXT NOT NULL,
    "publicKey" TEXT NOT NULL,
    "privateKey" TEXT NOT NULL,
    "revocationVersion" INTEGER NOT NULL DEFAULT 0,
    "starts" INTEGER NOT NULL DEFAULT 0,
    "createdAt" DATETIME NOT NULL
);

-- CreateTable
CREATE TABLE "Idempotency" (
    "scope" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "bodyHash" TEXT NOT NULL,
    "answer" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,

    PRIMARY KEY ("scope", "key")
);

-- CreateTable
CREATE TABLE "Audit" (
    "id" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "at" DATETIME NOT NULL,
    "actorId" TEXT NOT NULL,
    "actorName" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "object" TEXT,
    "outcome" TEXT NOT NULL,
    "detail" TEXT
);

-- CreateTable
CREATE TABLE "Agent" (
    "agentId" TEXT NOT NULL PRIMARY KEY,
    "name" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "publicKey" TEXT NOT NULL,
    "keyFingerprint" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "createdBy" TEXT,
    "lastSeenAt" DATETIME,
    "connEpoch" INTEGER NOT NULL DEFAULT 0,
    "chains" TEXT NOT NULL DEFAULT '[]',
    "chainEpoch" TEXT NOT NULL DEFAULT '',
    "clonedAt" DATETIME,
    "software" TEXT,
    "platform" TEXT,
    "manifest" TEXT,
    "roots" TEXT NOT NULL DEFAULT '[]',
    "maxSandbox" TEXT,
    "policyDigest" TEXT,
    "policySummary" TEXT,
    "clockOffsetMs" REAL NOT NULL DEFAULT 0
);

-- CreateTable
CREATE TABLE "EnrollmentToken" (
    "tokenId" TEXT NOT NULL PRIMARY KEY,
    "secretHash" TEXT NOT NULL,
    "name" TEXT,
    "createdBy" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "expiresAt" DATETIME NOT NULL,
    "usedAt" DATETIME,
    "usedBy" TEXT,
    "revokedAt" DATETIME,
    "wrongAttempts" INTEGER NOT NULL DEFAULT 0,
    "requireApproval" BOOLEAN NOT NULL DEFAULT false
);

-- CreateTable
CREATE TABLE "Session" (
    "pk" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "sessionId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "createdBy" TEXT,
    "title" TEXT NOT NULL,
    "archived" BOOLEAN NOT NULL DEFAULT false,
    "logId" TEXT,
    "committed" BIGINT NOT NULL DEFAULT 0,
    "malformed" INTEGER NOT NULL DEFAULT 0,
    "blocked" BOOLEAN NOT NULL DEFAULT false,
    "projection" TEXT NOT NULL,
    "settings" TEXT NOT NULL,
    "backend" TEXT NOT NULL,
    "workDir" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "lastLine" TEXT NOT NULL DEFAULT '',
    "cost" REAL NOT NULL DEFAULT 0,
    "contextUsage" TEXT,
    "updatedAt" DATETIME NOT NULL,
    "nextCmdSeq" INTEGER NOT NULL DEFAULT 1
);

-- CreateTable
CREATE TABLE "Event" (
    "sessionPk" INTEGER NOT NULL,
    "seq" BIGINT NOT NULL,
    "toSeq" BIGINT,
    "kind" TEXT NOT NULL,
    "v" INTEGER NOT NULL,
    "at" BIGINT NOT NULL,
    "storedAt" BIGINT NOT NULL,
    "hash" BLOB NOT NULL,
    "body" TEXT NOT NULL,

    PRIMARY KEY ("sessionPk", "seq")
);

-- CreateTable
CREATE TABLE "Tombstone" (
    "sessionId" TEXT NOT NULL PRIMARY KEY,
    "sessionPk" INTEGER NOT NULL,
    "agentId" TEXT NOT NULL,
    "deletedAt" DATETIME NOT NULL,
    "deletedBy" TEXT NOT NULL,
    "erased" BOOLEAN NOT NULL DEFAULT false
);

-- CreateTable
CREATE TABLE "Command" (
    "commandId" TEXT NOT NULL PRIMARY KEY,
    "sessionId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "cmdSeq" INTEGER,
    "kind" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "authorId" TEXT NOT NULL,
    "authorName" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "expiresAt" DATETIME,
    "promptId" TEXT,
    "requestId" TEXT,
    "errorCode" TEXT,
    "errorMessage" TEXT,
    "dismissed" BOOLEAN NOT NULL DEFAULT false
);

-- CreateTable
CREATE TABLE "Request" (
    "requestId" TEXT NOT NULL PRIMARY KEY,
    "sessionPk" INTEGER NOT NULL,
    "sessionId" TEXT NOT NULL,
    "agentId" TEXT NOT NULL,
    "procId" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "ask" TEXT NOT NULL,
    "askedAt" DATETIME NOT NULL,
    "expiresAt" DATETIME,
    "decision" TEXT,
    "decidedBy" TEXT,
    "deciderName" TEXT,
    "decidedAt" DATETIME,
    "device" TEXT,
    "reason" TEXT,
    "commandId" TEXT,
    "outcome" TEXT NOT NULL DEFAULT 'open',
    "resolvedSeq" BIGINT
);

-- CreateIndex
CREATE UNIQUE INDEX "User_email_key" ON "User"("email");

-- CreateIndex
CREATE UNIQUE INDEX "AuthSession_token_key" ON "AuthSession"("token");

-- CreateIndex
CREATE INDEX "AuthSession_userId_idx" ON "AuthSession"("userId");

-- CreateIndex
CREATE INDEX "Account_userId_idx" ON "Account"("userId");

-- CreateIndex
CREATE INDEX "Verification_identifier_idx" ON "Verification"("identifier");

-- CreateIndex
CREATE UNIQUE INDEX "RateLimit_key_key" ON "RateLimit"("key");

-- CreateIndex
CREATE INDEX "Idempotency_createdAt_idx" ON "Idempotency"("createdAt");

-- CreateIndex
CREATE INDEX "Audit_at_idx" ON "Audit"("at");

-- CreateIndex
CREATE UNIQUE INDEX "Agent_publicKey_key" ON "Agent"("publicKey");

-- CreateIndex
CREATE INDEX "EnrollmentToken_createdAt_idx" ON "EnrollmentToken"("createdAt");

-- CreateIndex
CREATE UNIQUE INDEX "Session_sessionId_key" ON "Session"("sessionId");

-- CreateIndex
CREATE INDEX "Session_updatedAt_pk_idx" ON "Session"("updatedAt", "pk");

-- CreateIndex
CREATE INDEX "Session_agentId_idx" ON "Session"("agentId");

-- CreateIndex
CREATE INDEX "Command_sessionId_createdAt_idx" ON "Command"("sessionId", "createdAt");

-- CreateIndex
CREATE INDEX "Request_sessionPk_askedAt_idx" ON "Request"("sessionPk", "askedAt");

-- Every look-up of something pending reads an index that holds pending rows only (written by hand).
CREATE INDEX "Command_unfinished" ON "Command"("agentId", "createdAt") WHERE "state" IN ('pending', 'sent');
CREATE INDEX "Command_shown" ON "Command"("sessionId", "createdAt") WHERE "dismissed" = 0 AND "state" NOT IN ('done', 'cancelled');
CREATE INDEX "Request_pending" ON "Request"("sessionPk", "askedAt") WHERE "outcome" = 'open' AND "decision" IS NULL;
CREATE INDEX "Request_open" ON "Request"("sessionPk", "askedAt") WHERE "outcome" = 'open';
CREATE INDEX "Request_decided" ON "Request"("sessionPk", "askedAt") WHERE "decision" IS NOT NULL;
CREATE INDEX "Tombstone_unerased" ON "Tombstone"("sessionPk") WHERE "erased" = 0;

-- The audit log only grows.
CREATE TRIGGER "Audit_no_update" BEFORE UPDATE ON "Audit" BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TRIGGER "Audit_no_delete" BEFORE DELETE ON "Audit" BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
