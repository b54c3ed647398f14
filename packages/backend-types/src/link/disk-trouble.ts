import { z } from 'zod'

/** The machine's disk takes no writes: there is no room, or they fail. */
export const DiskTrouble = z.enum(['full', 'failing'])
export type DiskTrouble = z.infer<typeof DiskTrouble>
