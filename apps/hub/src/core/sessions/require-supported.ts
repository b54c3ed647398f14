/**
 * Refuses at the request what a session's program cannot do (CAP-3), by the last report of its machine. What nobody knows here, the
 * machine decides.
 */
import {
  type AgentManifestPayload,
  type BackendManifestEntry,
  type CommandBody,
  type SessionSettings,
  unsupportedCommand,
} from '@roundhouse/backend-types'
import type { AgentRow } from '../ports/machine-store'

type Manifest = AgentManifestPayload | null | undefined

/** Undefined unless the machine has reported it. */
export const reportedProgram = (manifest: Manifest, backend: string): BackendManifestEntry | undefined =>
  manifest?.backends.find(({ kind }) => kind === backend)

/** `present`: the settings that the session has now. */
export function requireSupported(
  machine: Pick<AgentRow, 'manifest'> | undefined,
  body: CommandBody,
  present: SessionSettings,
): void {
  const program = reportedProgram(machine?.manifest, present.backend)
  const refusal = program?.installed ? unsupportedCommand(program, body, present) : null
  if (refusal) throw refusal
}
