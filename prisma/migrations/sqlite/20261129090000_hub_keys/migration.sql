-- Keys that the hub makes for messages of the bus and updates of chats have a blank from now on, which no caller of REST can choose.
-- What was answered under one of them is found under its new form; whoever chose such a key keeps their answer under it.
INSERT OR IGNORE INTO "Idempotency" ("scope", "key", "bodyHash", "answer", "createdAt")
  SELECT "scope", replace("key", '_', ' '), "bodyHash", "answer", "createdAt" FROM "Idempotency"
  WHERE "key" GLOB 'ch_[0-9]*_[0-9]*' OR ("key" GLOB 'bus_[0-9a-f]*' AND length("key") = 44);
