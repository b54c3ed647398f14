/**
 * What a backend can do, as flat facts. Asking for what is false here is `UNSUPPORTED`, never a silent drop.
 * Field names of the first block follow the public `Capabilities` of the RenseiAI `donmai/agent` package, so that
 * its JSON round-trips; the second block is ours.
 */
import { z } from 'zod'

export const Capabilities = z.object({
  supportsMessageInjection: z.boolean(),
  supportsSessionResume: z.boolean(),
  supportsToolPlugins: z.boolean(),
  needsBaseInstructions: z.boolean(),
  needsPermissionConfig: z.boolean(),
  supportsCodeIntelligenceEnforcement: z.boolean(),
  emitsSubagentEvents: z.boolean(),
  supportsReasoningEffort: z.boolean(),
  toolPermissionFormat: z.enum(['claude', 'codex', 'spring-ai']).optional(),
  acceptsAllowedToolsList: z.boolean(),
  acceptsMcpServerSpec: z.boolean(),
  humanLabel: z.string(),

  /** The running turn can be ended without ending the process. */
  supportsInterrupt: z.boolean(),
  /** Tool calls can be made to wait for a person. */
  supportsPermissions: z.boolean(),
  /** An allow may change the tool's input. */
  supportsEditedInput: z.boolean(),
  /** A deny reason reaches the model by itself. */
  supportsDenyReason: z.boolean(),
  /** The operating system, not the model's good will, enforces the sandbox level. */
  enforcesSandbox: z.boolean(),
  /** `maxOutputTokens` limits an answer. Absent: it does. */
  limitsOutput: z.boolean().optional(),
  /** A prompt may bring images. Absent: it may not. */
  acceptsImages: z.boolean().optional(),
  /** A prompt may be images without a text. Absent: it may not. */
  acceptsImagesAlone: z.boolean().optional(),
  /** Turns report how full the context window is. Absent: they do. */
  reportsWindow: z.boolean().optional(),
  /** Turns report their cost in dollars. */
  reportsCost: z.boolean(),
})
export type Capabilities = z.infer<typeof Capabilities>

/** The yes-or-no facts alone. */
export type Capability = {
  [K in keyof Capabilities]-?: Capabilities[K] extends boolean ? K : never
}[keyof Capabilities]
