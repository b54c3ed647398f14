-- AlterTable
ALTER TABLE "Command" ADD COLUMN "provenSeq" BIGINT;
