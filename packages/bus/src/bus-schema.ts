/** A schema of the convention. */
import type { z } from 'zod'

export interface BusSchema {
  /** The topics on which it belongs. */
  topic: string
  data: z.ZodType<Record<string, unknown>>
}
