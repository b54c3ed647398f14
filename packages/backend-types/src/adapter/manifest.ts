/** The capabilities of a machine's backends, as its agent reports them. */
import { z } from 'zod'
import { AcceptedValues } from './accepted-values'
import { BackendKind } from './backends'
import { Capabilities } from './capabilities'
import { Sandbox } from './sandbox'

/** A model or a mode that a person can choose. */
export const ManifestChoice = z.object({
  code: z.string(),
  label: z.string(),
  description: z.string().optional(),
  default: z.boolean().optional(),
  /** For a mode: the sandboxes that it supports; absent: all. */
  sandboxes: z.array(Sandbox).optional(),
  /** For a model: the thinking levels that it supports; absent: all. */
  thinking: z.array(z.string()).optional(),
})
export type ManifestChoice = z.infer<typeof ManifestChoice>

/** UTF-8 bytes that a manifest may have as JSON (BAD-4). */
export const MANIFEST_BYTES = 262_144

/** What one backend on one machine can do. `installed: false` always comes with `unavailableReason`. */
export const BackendManifestEntry = z.object({
  kind: BackendKind,
  label: z.string(),
  installed: z.boolean(),
  unavailableReason: z.string().optional(),
  /** It did not answer, so nobody knows whether it is there. Its machine asks it again by itself. */
  unanswered: z.boolean().optional(),
  version: z.string().optional(),
  /** Its version was never tested with this release of the agent; these were. It runs all the same. */
  testedWith: z.array(z.string()).optional(),
  binaryPath: z.string().optional(),
  models: z.array(ManifestChoice),
  /** More than a manifest has room for are not listed. */
  modelsLeftOut: z.number().int().min(1).optional(),
  modes: z.array(ManifestChoice),
  sandboxes: z.array(Sandbox),
  thinkingOptions: z.array(ManifestChoice).optional(),
  capabilities: Capabilities,
  /** Whatever the policy offers of it. An older agent does not say it. */
  accepted: AcceptedValues.optional(),
  /**
   * The terminal command that continues a conversation, with `{id}` in the place of its id: `claude --resume {id}`. Only for
   * display.
   */
  terminalResume: z
    .string()
    .max(100)
    .regex(/^[\w./-]+( [\w./=-]+)* \{id\}$/)
    .optional(),
})
export type BackendManifestEntry = z.infer<typeof BackendManifestEntry>

export const AgentManifestPayload = z.object({
  manifestVersion: z.literal(1),
  /** ISO 8601. */
  generatedAt: z.string(),
  backends: z.array(BackendManifestEntry),
})
export type AgentManifestPayload = z.infer<typeof AgentManifestPayload>
