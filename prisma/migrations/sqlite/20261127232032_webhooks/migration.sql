-- CreateTable
CREATE TABLE "Webhook" (
    "webhookId" TEXT NOT NULL PRIMARY KEY,
    "userId" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "topics" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "stopped" TEXT,
    "role" TEXT NOT NULL,
    "secret" TEXT NOT NULL,
    "oldSecret" TEXT,
    "oldSecretUntil" BIGINT,
    "createdAt" BIGINT NOT NULL,
    "cursor" INTEGER NOT NULL,
    "failingSince" BIGINT,
    "deliveredAt" BIGINT
);

-- CreateTable
CREATE TABLE "WebhookDelivery" (
    "n" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    "deliveryId" TEXT NOT NULL,
    "webhookId" TEXT NOT NULL,
    "busOffset" INTEGER,
    "state" TEXT NOT NULL,
    "createdAt" BIGINT NOT NULL,
    "nextAt" BIGINT,
    "askedAt" BIGINT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "log" TEXT NOT NULL DEFAULT '[]'
);

-- CreateIndex
CREATE INDEX "Webhook_userId_idx" ON "Webhook"("userId");

-- CreateIndex
CREATE UNIQUE INDEX "WebhookDelivery_deliveryId_key" ON "WebhookDelivery"("deliveryId");

-- CreateIndex
CREATE INDEX "WebhookDelivery_webhookId_n_idx" ON "WebhookDelivery"("webhookId", "n");

-- CreateIndex
CREATE INDEX "WebhookDelivery_webhookId_state_idx" ON "WebhookDelivery"("webhookId", "state");

-- CreateIndex
CREATE INDEX "WebhookDelivery_askedAt_idx" ON "WebhookDelivery"("askedAt");

-- CreateIndex
CREATE INDEX "WebhookDelivery_createdAt_idx" ON "WebhookDelivery"("createdAt");
