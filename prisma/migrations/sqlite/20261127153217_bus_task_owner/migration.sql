-- RedefineTables
PRAGMA defer_foreign_keys=ON;
PRAGMA foreign_keys=OFF;
CREATE TABLE "new_BusTask" (
    "taskId" TEXT NOT NULL,
    "peerId" TEXT NOT NULL,
    "ownerId" TEXT NOT NULL,

    PRIMARY KEY ("taskId", "peerId", "ownerId")
);
-- Whose it is: the person behind the message that assigned it. Without that message, nobody's.
INSERT OR IGNORE INTO "new_BusTask" ("taskId", "peerId", "ownerId")
SELECT t."taskId", t."peerId", m."userId" FROM "BusMessage" AS m JOIN "BusTask" AS t
  ON t."peerId" = json_extract(m."data", '$.peer_id') AND m."topic" LIKE 'task.%' AND substr(m."topic", 6, length(t."taskId") + 1) = t."taskId" || '.'
WHERE m."schema" = 'task-assign-v1' AND m."userId" IS NOT NULL ORDER BY m."offset";
DROP TABLE "BusTask";
ALTER TABLE "new_BusTask" RENAME TO "BusTask";
CREATE INDEX "BusTask_ownerId_idx" ON "BusTask"("ownerId");
PRAGMA foreign_keys=ON;
PRAGMA defer_foreign_keys=OFF;
