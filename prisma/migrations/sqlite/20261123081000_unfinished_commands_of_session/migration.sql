-- What one session has to send, without looking at all that wait for its machine (written by hand).
CREATE INDEX "Command_unfinished_of_session" ON "Command"("sessionId", "createdAt") WHERE "state" IN ('pending', 'sent');
