-- Columns are added, tables are not made anew: the triggers below, and those of the audit log, stay (written by hand).
ALTER TABLE "Command" ADD COLUMN "tokenId" TEXT;
ALTER TABLE "HubState" ADD COLUMN "rightsVersion" INTEGER NOT NULL DEFAULT 0;

-- Whoever writes it, and by which library: what may take rights away raises the number, in the same transaction (AUTH-1).
CREATE TRIGGER "Rights_login_ended" AFTER DELETE ON "AuthSession" BEGIN UPDATE "HubState" SET "rightsVersion" = "rightsVersion" + 1; END;
CREATE TRIGGER "Rights_login_changed" AFTER UPDATE OF "expiresAt", "userId" ON "AuthSession" BEGIN UPDATE "HubState" SET "rightsVersion" = "rightsVersion" + 1; END;
CREATE TRIGGER "Rights_token_ended" AFTER DELETE ON "ApiToken" BEGIN UPDATE "HubState" SET "rightsVersion" = "rightsVersion" + 1; END;
CREATE TRIGGER "Rights_token_changed" AFTER UPDATE OF "expiresAt", "userId", "scopes" ON "ApiToken" BEGIN UPDATE "HubState" SET "rightsVersion" = "rightsVersion" + 1; END;
CREATE TRIGGER "Rights_share_given" AFTER INSERT ON "MachineShare" BEGIN UPDATE "HubState" SET "rightsVersion" = "rightsVersion" + 1; END;
CREATE TRIGGER "Rights_share_ended" AFTER DELETE ON "MachineShare" BEGIN UPDATE "HubState" SET "rightsVersion" = "rightsVersion" + 1; END;
CREATE TRIGGER "Rights_person_changed" AFTER UPDATE OF "role", "banned" ON "User" BEGIN UPDATE "HubState" SET "rightsVersion" = "rightsVersion" + 1; END;
CREATE TRIGGER "Rights_person_ended" AFTER DELETE ON "User" BEGIN UPDATE "HubState" SET "rightsVersion" = "rightsVersion" + 1; END;
