-- AlterTable
ALTER TABLE "Command" ADD COLUMN "errorField" TEXT;
