/**
 * The description of a tool call for people, from its adapter; display only. The host reads the raw input for digests, deny
 * rules, grants and commands that run without asking. A permission prompt shows that input, and takes only its headline from
 * here (PERM-7).
 */
import { z } from 'zod'

/** Characters, as an event holds them. */
export const DISPLAY_LIMITS = { verb: 100, wish: 200, object: 400, path: 1_000, paths: 20, command: 2_000 } as const

/** It names one subject of the call: files, a command, or an `object` in words. */
export const ToolDisplay = z.object({
  /** Begins the line of the call: `Run`. */
  verb: z.string().min(1).max(DISPLAY_LIMITS.verb),
  /** Behind "asks to": `run a command`. Absent: it uses the tool. */
  wish: z.string().min(1).max(DISPLAY_LIMITS.wish).optional(),
  object: z.string().max(DISPLAY_LIMITS.object).optional(),
  paths: z.array(z.string().max(DISPLAY_LIMITS.path)).max(DISPLAY_LIMITS.paths).optional(),
  /** As a person would type it. */
  command: z.string().max(DISPLAY_LIMITS.command).optional(),
})
export type ToolDisplay = z.infer<typeof ToolDisplay>
