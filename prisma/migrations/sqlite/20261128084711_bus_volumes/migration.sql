-- CreateTable
CREATE TABLE "BusVolume" (
    "fromPeer" TEXT NOT NULL PRIMARY KEY,
    "bytes" BIGINT NOT NULL
);

-- What each message takes beside its data is 500 bytes, about, as `bus-room.ts` counts. The row without a peer is all of them.
INSERT INTO "BusVolume" ("fromPeer", "bytes")
  SELECT "fromPeer", sum(500 + length(CAST("data" AS BLOB))) FROM "BusMessage" GROUP BY "fromPeer";
INSERT INTO "BusVolume" ("fromPeer", "bytes") SELECT '', coalesce(sum("bytes"), 0) FROM "BusVolume";

CREATE TRIGGER "BusMessage_counted" AFTER INSERT ON "BusMessage" BEGIN
  INSERT INTO "BusVolume" ("fromPeer", "bytes") VALUES (new."fromPeer", 500 + length(CAST(new."data" AS BLOB)))
    ON CONFLICT ("fromPeer") DO UPDATE SET "bytes" = "bytes" + excluded."bytes";
  UPDATE "BusVolume" SET "bytes" = "bytes" + 500 + length(CAST(new."data" AS BLOB)) WHERE "fromPeer" = '';
END;

CREATE TRIGGER "BusMessage_recounted" AFTER UPDATE OF "data" ON "BusMessage" BEGIN
  UPDATE "BusVolume" SET "bytes" = "bytes" + length(CAST(new."data" AS BLOB)) - length(CAST(old."data" AS BLOB))
    WHERE "fromPeer" IN (new."fromPeer", '');
END;

CREATE TRIGGER "BusMessage_uncounted" AFTER DELETE ON "BusMessage" BEGIN
  UPDATE "BusVolume" SET "bytes" = "bytes" - 500 - length(CAST(old."data" AS BLOB))
    WHERE "fromPeer" IN (old."fromPeer", '');
  DELETE FROM "BusVolume" WHERE "fromPeer" = old."fromPeer" AND "bytes" <= 0;
END;
