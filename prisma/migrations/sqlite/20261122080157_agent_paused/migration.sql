-- AlterTable
ALTER TABLE "Agent" ADD COLUMN "pausedAt" DATETIME;
