-- RedefineTables
CREATE TABLE "new_Image" (
    "imageId" TEXT NOT NULL PRIMARY KEY,
    "sessionPk" INTEGER,
    "sessionId" TEXT,
    "userId" TEXT NOT NULL,
    "mediaType" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "sha256" TEXT NOT NULL,
    "createdAt" DATETIME NOT NULL,
    "usedAt" DATETIME
);
INSERT INTO "new_Image" ("bytes", "createdAt", "imageId", "mediaType", "sessionId", "sessionPk", "sha256", "usedAt", "userId") SELECT "bytes", "createdAt", "imageId", "mediaType", "sessionId", "sessionPk", "sha256", "usedAt", "userId" FROM "Image";
DROP TABLE "Image";
ALTER TABLE "new_Image" RENAME TO "Image";
CREATE INDEX "Image_sessionPk_idx" ON "Image"("sessionPk");
CREATE INDEX "Image_userId_usedAt_idx" ON "Image"("userId", "usedAt");
