/**
 * Every value of a setting that a program accepts. `models`, `modes` and `sandboxes` of a manifest are what a page offers: the policy
 * leaves some out, and a program may take more. A list that is missing here: only the program knows.
 */
import { z } from 'zod'
import { Sandbox } from './sandbox'

export const AcceptedValues = z.object({
  models: z.array(z.string()).optional(),
  /** `sandboxes`: with which the mode goes together. Absent: all. */
  modes: z.array(z.object({ code: z.string(), sandboxes: z.array(Sandbox).optional() })).optional(),
  sandboxes: z.array(Sandbox).optional(),
  thinking: z.array(z.string()).optional(),
})
export type AcceptedValues = z.infer<typeof AcceptedValues>
