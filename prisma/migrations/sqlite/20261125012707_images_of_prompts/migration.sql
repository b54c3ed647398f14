-- CreateTable
CREATE TABLE "Image" (
    "imageId" TEXT NOT NULL PRIMARY KEY,
    "sessionPk" INTEGER NOT NULL,
    "sessionId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "mediaType" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "sha256" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "usedAt" DATETIME
);

-- CreateTable
CREATE TABLE "ImagePart" (
    "imageId" TEXT NOT NULL,
    "part" INTEGER NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "data" BLOB NOT NULL,

    PRIMARY KEY ("imageId", "part")
);

-- CreateIndex
CREATE INDEX "Image_sessionPk_idx" ON "Image"("sessionPk");

-- CreateIndex
CREATE INDEX "Image_userId_usedAt_idx" ON "Image"("userId", "usedAt");
