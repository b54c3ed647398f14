-- Rows of this table are never removed, so the next position is one more than the newest. AUTOINCREMENT wrote another page in each ack.
-- The kinds of a range tell followers of others that they need not read it. Nobody knows them of what is stored: null.
CREATE TABLE "new_Append" (
    "position" INTEGER NOT NULL PRIMARY KEY,
    "kind" TEXT NOT NULL,
    "sessionPk" INTEGER NOT NULL,
    "sessionId" TEXT,
    "fromSeq" BIGINT NOT NULL,
    "toSeq" BIGINT NOT NULL,
    "kinds" TEXT
);
INSERT INTO "new_Append" ("position", "kind", "sessionPk", "sessionId", "fromSeq", "toSeq")
SELECT "position", "kind", "sessionPk", "sessionId", "fromSeq", "toSeq" FROM "Append" ORDER BY "position";
DROP TABLE "Append";
ALTER TABLE "new_Append" RENAME TO "Append";
