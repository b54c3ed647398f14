-- CreateTable
CREATE TABLE "BusAsk" (
    "peerId" TEXT NOT NULL,
    "requestId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "at" BIGINT NOT NULL,

    PRIMARY KEY ("peerId", "requestId")
);
