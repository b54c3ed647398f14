-- Deletions that a machine did not carry out when it was asked: it hears of them at its next hello (written by hand).
CREATE INDEX "Command_undone_deletion" ON "Command"("agentId") WHERE "kind" = 'session.delete' AND "state" NOT IN ('pending', 'sent', 'done');
