/** Between the core's milliseconds and Prisma's dates. */
import type { Prisma } from '../../../../../../prisma/generated/client'

export type Tx = Prisma.TransactionClient

export const date = (millis: number) => new Date(millis)
export const dateOrNull = (millis: number | null) => (millis === null ? null : new Date(millis))
export const millis = (value: Date | null) => value?.getTime() ?? null
