-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_BusAsk" (
    "peerId" TEXT NOT NULL,
    "requestId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "at" BIGINT NOT NULL,
    "options" TEXT NOT NULL DEFAULT '[]',
    "closedAt" BIGINT,
    "answer" TEXT,
    "commandId" TEXT,

    PRIMARY KEY ("peerId", "requestId")
);
INSERT INTO "new_BusAsk" ("at", "kind", "message", "peerId", "requestId") SELECT "at", "kind", "message", "peerId", "requestId" FROM "BusAsk";
DROP TABLE "BusAsk";
ALTER TABLE "new_BusAsk" RENAME TO "BusAsk";
CREATE INDEX "BusAsk_commandId_idx" ON "BusAsk"("commandId");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
