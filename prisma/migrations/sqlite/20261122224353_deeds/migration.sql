-- CreateTable
CREATE TABLE "Deed" (
    "commandId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "seq" BIGINT NOT NULL,

    PRIMARY KEY ("commandId", "kind"),
    CONSTRAINT "Deed_commandId_fkey" FOREIGN KEY ("commandId") REFERENCES "Command" ("commandId") ON DELETE CASCADE ON UPDATE CASCADE
);

-- What prompts bore out until now.
INSERT INTO "Deed" ("commandId", "kind", "seq")
SELECT "commandId", 'user_message', "provenSeq" FROM "Command" WHERE "provenSeq" IS NOT NULL;

-- AlterTable
ALTER TABLE "Command" DROP COLUMN "provenSeq";
