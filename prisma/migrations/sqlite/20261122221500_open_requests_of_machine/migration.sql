-- How many questions of one machine are open, without looking at those of others (written by hand).
CREATE INDEX "Request_open_of_machine" ON "Request"("agentId") WHERE "outcome" = 'open';
