-- Accepted commands whose end no event tells, to be asked for again, without looking at all that were ever made (written by hand).
CREATE INDEX "Command_unsettled" ON "Command"("createdAt") WHERE "state" = 'accepted' AND "kind" IN ('process.end', 'session.resume', 'turn.interrupt', 'task.stop', 'queue.edit', 'queue.remove', 'queue.move', 'queue.release');
