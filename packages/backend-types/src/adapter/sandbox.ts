import { z } from 'zod'

/** How much of the machine a backend may change, from least to most. */
export const Sandbox = z.enum(['read-only', 'workspace-write', 'full-access'])
export type Sandbox = z.infer<typeof Sandbox>
