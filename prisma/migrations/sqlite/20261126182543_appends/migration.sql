-- CreateTable
CREATE TABLE "Append" (
    "position" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "kind" TEXT NOT NULL,
    "sessionPk" INTEGER NOT NULL,
    "sessionId" TEXT,
    "fromSeq" BIGINT NOT NULL,
    "toSeq" BIGINT NOT NULL
);

-- CreateTable
CREATE TABLE "Follower" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "position" INTEGER NOT NULL,
    "seq" BIGINT NOT NULL
);

-- What was stored before there were positions: each session as one row, the oldest session first.
INSERT INTO "Append" ("kind", "sessionPk", "fromSeq", "toSeq")
SELECT 'events', "pk", 1, "committed" FROM "Session" WHERE "committed" > 0 ORDER BY "createdAt", "pk";
