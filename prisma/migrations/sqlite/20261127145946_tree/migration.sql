-- CreateTable
CREATE TABLE "TreeNode" (
    "sessionId" TEXT NOT NULL PRIMARY KEY,
    "parentId" TEXT NOT NULL,
    "rootId" TEXT NOT NULL,
    "depth" INTEGER NOT NULL,
    "createdAt" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "Tree" (
    "rootId" TEXT NOT NULL PRIMARY KEY,
    "personId" TEXT NOT NULL,
    "personName" TEXT NOT NULL,
    "at" BIGINT NOT NULL,
    "budgetUsd" REAL,
    "budgetTokens" REAL,
    "costUsd" REAL NOT NULL DEFAULT 0,
    "tokens" REAL NOT NULL DEFAULT 0,
    "isOff" BOOLEAN NOT NULL DEFAULT false,
    "stoppedAt" BIGINT,
    "stoppedWhy" TEXT
);

-- CreateTable
CREATE TABLE "TreeRequest" (
    "sessionId" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,
    "requestId" TEXT NOT NULL,
    "verb" TEXT NOT NULL,
    "input" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "dueAt" BIGINT,

    PRIMARY KEY ("sessionId", "seq")
);

-- CreateIndex
CREATE INDEX "TreeNode_rootId_idx" ON "TreeNode"("rootId");

-- CreateIndex
CREATE INDEX "TreeNode_parentId_idx" ON "TreeNode"("parentId");

-- Nothing that was stored before there were trees is about one: their follower begins behind it.
INSERT INTO "Follower" ("name", "position", "seq")
SELECT 'tree', "position", "toSeq" FROM "Append" ORDER BY "position" DESC LIMIT 1;
