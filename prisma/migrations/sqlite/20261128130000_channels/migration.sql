-- CreateTable
CREATE TABLE "ChannelBot" (
    "kind" TEXT NOT NULL PRIMARY KEY,
    "token" TEXT NOT NULL,
    "botId" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "setAt" DATETIME NOT NULL,
    "nextUpdate" BIGINT NOT NULL DEFAULT 0
);

-- CreateTable
CREATE TABLE "ChannelCode" (
    "kind" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "codeHash" TEXT NOT NULL,
    "expiresAt" DATETIME NOT NULL,

    PRIMARY KEY ("kind", "userId")
);

-- CreateTable
CREATE TABLE "ChannelLink" (
    "linkId" TEXT NOT NULL PRIMARY KEY,
    "kind" TEXT NOT NULL,
    "chatId" TEXT NOT NULL,
    "chatName" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "tokenId" TEXT NOT NULL,
    "linkedAt" DATETIME NOT NULL,
    "sessionId" TEXT,
    "startLike" TEXT,
    "seq" BIGINT NOT NULL DEFAULT 0,
    "part" INTEGER NOT NULL DEFAULT 0,
    "blockId" TEXT,
    "openMessage" TEXT,
    "sending" TEXT,
    "lastMessage" TEXT,
    CONSTRAINT "ChannelLink_tokenId_fkey" FOREIGN KEY ("tokenId") REFERENCES "ApiToken" ("tokenId") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "ChannelReply" (
    "n" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "linkId" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    CONSTRAINT "ChannelReply_linkId_fkey" FOREIGN KEY ("linkId") REFERENCES "ChannelLink" ("linkId") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateTable
CREATE TABLE "ChannelCard" (
    "ref" TEXT NOT NULL PRIMARY KEY,
    "linkId" TEXT NOT NULL,
    "sessionId" TEXT NOT NULL,
    "requestId" TEXT NOT NULL,
    "digest" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "messageId" TEXT,
    "closedAt" DATETIME,
    CONSTRAINT "ChannelCard_linkId_fkey" FOREIGN KEY ("linkId") REFERENCES "ChannelLink" ("linkId") ON DELETE CASCADE ON UPDATE CASCADE
);

-- CreateIndex
CREATE UNIQUE INDEX "ChannelCode_kind_codeHash_key" ON "ChannelCode"("kind", "codeHash");

-- CreateIndex
CREATE UNIQUE INDEX "ChannelLink_tokenId_key" ON "ChannelLink"("tokenId");

-- CreateIndex
CREATE UNIQUE INDEX "ChannelLink_kind_chatId_key" ON "ChannelLink"("kind", "chatId");

-- CreateIndex
CREATE UNIQUE INDEX "ChannelLink_kind_userId_key" ON "ChannelLink"("kind", "userId");

-- CreateIndex
CREATE INDEX "ChannelReply_linkId_n_idx" ON "ChannelReply"("linkId", "n");

-- CreateIndex
CREATE INDEX "ChannelCard_closedAt_idx" ON "ChannelCard"("closedAt");

-- CreateIndex
CREATE UNIQUE INDEX "ChannelCard_linkId_requestId_key" ON "ChannelCard"("linkId", "requestId");
