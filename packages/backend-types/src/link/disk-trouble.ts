import { z } from 'zod'

/** The machine's disk accepts no writes: it is full, or writes fail. */
export const DiskTrouble = z.enum(['full', 'failing'])
export type DiskTrouble = z.infer<typeof DiskTrouble>
