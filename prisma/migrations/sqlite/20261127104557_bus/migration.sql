-- CreateTable
CREATE TABLE "BusMessage" (
    "offset" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "topic" TEXT NOT NULL,
    "fromPeer" TEXT NOT NULL,
    "messageId" TEXT NOT NULL,
    "correlationId" TEXT,
    "parentId" TEXT,
    "fromName" TEXT NOT NULL,
    "terminalId" TEXT,
    "publishedAt" TEXT NOT NULL,
    "storedAt" BIGINT NOT NULL,
    "schema" TEXT NOT NULL,
    "data" TEXT NOT NULL,
    "subject" TEXT,
    "agentId" TEXT,
    "userId" TEXT,
    "sessionId" TEXT,
    "erased" BOOLEAN NOT NULL DEFAULT false
);

-- CreateTable
CREATE TABLE "BusPeer" (
    "peerId" TEXT NOT NULL PRIMARY KEY,
    "kind" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "userId" TEXT,
    "agentId" TEXT,
    "state" TEXT NOT NULL,
    "joinedAt" BIGINT NOT NULL,
    "seenAt" BIGINT NOT NULL,
    "reason" TEXT,
    "phase" TEXT,
    "facts" TEXT NOT NULL DEFAULT '{}'
);

-- CreateTable
CREATE TABLE "BusTask" (
    "taskId" TEXT NOT NULL,
    "peerId" TEXT NOT NULL,

    PRIMARY KEY ("taskId", "peerId")
);

-- CreateIndex
CREATE INDEX "BusMessage_sessionId_idx" ON "BusMessage"("sessionId");

-- CreateIndex
CREATE UNIQUE INDEX "BusMessage_fromPeer_messageId_key" ON "BusMessage"("fromPeer", "messageId");

-- What was stored before there was a bus is not told on it: its follower begins behind it.
INSERT INTO "Follower" ("name", "position", "seq")
SELECT 'bus', "position", "toSeq" FROM "Append" ORDER BY "position" DESC LIMIT 1;

-- Of each peer, only the last heartbeat is kept.
CREATE INDEX "BusMessage_heartbeat" ON "BusMessage"("fromPeer") WHERE "schema" = 'worker-heartbeat-v1';
