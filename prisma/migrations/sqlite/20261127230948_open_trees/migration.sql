-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_Tree" (
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
    "stoppedWhy" TEXT,
    "isOver" BOOLEAN NOT NULL DEFAULT false
);
INSERT INTO "new_Tree" ("at", "budgetTokens", "budgetUsd", "costUsd", "isOff", "personId", "personName", "rootId", "stoppedAt", "stoppedWhy", "tokens") SELECT "at", "budgetTokens", "budgetUsd", "costUsd", "isOff", "personId", "personName", "rootId", "stoppedAt", "stoppedWhy", "tokens" FROM "Tree";
DROP TABLE "Tree";
ALTER TABLE "new_Tree" RENAME TO "Tree";
CREATE INDEX "Tree_isOver_idx" ON "Tree"("isOver");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
