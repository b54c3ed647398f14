/** Which tool calls are allowed or denied before anybody is asked. */
import { z } from 'zod'
import { omitEmpty } from './omit-empty'

export const PermissionConfig = z.object({
  /** `Bash(pnpm:*)` for example. */
  allowPatterns: omitEmpty(z.array(z.string())),
  disallowPatterns: omitEmpty(z.array(z.string())),
  /** Where no pattern matches. Absent: `prompt`. */
  defaultDecision: omitEmpty(z.enum(['allow', 'deny', 'prompt', ''])),
})
export type PermissionConfig = z.infer<typeof PermissionConfig>
