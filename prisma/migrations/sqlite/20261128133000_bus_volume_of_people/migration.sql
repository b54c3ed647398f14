-- What a person and all their programs published counts together, in a row `@<userId>`. Whose a program is stands in "BusPeer".
INSERT INTO "BusVolume" ("fromPeer", "bytes")
  SELECT '@' || p."userId", sum(v."bytes") FROM "BusVolume" v JOIN "BusPeer" p ON p."peerId" = v."fromPeer"
  WHERE p."kind" <> 'session' AND p."userId" IS NOT NULL GROUP BY p."userId";

CREATE TRIGGER "BusVolume_of_person_begun" AFTER INSERT ON "BusVolume" WHEN new."fromPeer" NOT LIKE '@%' AND new."fromPeer" <> '' BEGIN
  INSERT INTO "BusVolume" ("fromPeer", "bytes")
    SELECT '@' || "userId", new."bytes" FROM "BusPeer" WHERE "peerId" = new."fromPeer" AND "kind" <> 'session' AND "userId" IS NOT NULL
    ON CONFLICT ("fromPeer") DO UPDATE SET "bytes" = "bytes" + excluded."bytes";
END;

CREATE TRIGGER "BusVolume_of_person" AFTER UPDATE OF "bytes" ON "BusVolume" WHEN new."fromPeer" NOT LIKE '@%' AND new."fromPeer" <> '' BEGIN
  UPDATE "BusVolume" SET "bytes" = "bytes" + new."bytes" - old."bytes" WHERE "fromPeer" =
    (SELECT '@' || "userId" FROM "BusPeer" WHERE "peerId" = new."fromPeer" AND "kind" <> 'session' AND "userId" IS NOT NULL);
END;
