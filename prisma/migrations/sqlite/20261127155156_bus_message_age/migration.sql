-- CreateIndex
CREATE INDEX "BusMessage_storedAt_idx" ON "BusMessage"("storedAt");
