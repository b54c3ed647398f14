/**
 * Refuses at the request what a session's program cannot do (CAP-3), by the last report of its machine. What nobody knows here, the
 * machine decides.
 */
import {
  type AgentManifestPayload,
  type BackendManifestEntry,
  type CommandBody,
  type QueryMethod,
  queryNeeded,
  type SessionSettings,
  unsupportedCommand,
  unsupportedQuery,
} from '@roundhouse/backend-types'
import type { AgentRow } from '../ports/machine-store'

type Manifest = AgentManifestPayload | null | undefined

/** Undefined unless the machine has reported it. */
export const reportedProgram = (manifest: Manifest, backend: string): BackendManifestEntry | undefined =>
  manifest?.backends.find(({ kind }) => kind === backend)

type Machine = Pick<AgentRow, 'manifest'> | undefined

/** `present`: the settings that the session has now. */
export function requireSupported(machine: Machine, body: CommandBody, present: SessionSettings): void {
  const program = reportedProgram(machine?.manifest, present.backend)
  const refusal = program?.installed ? unsupportedCommand(program, body, present) : null
  if (refusal) throw refusal
  const method = queryNeeded(body)
  if (method !== null) requireQuery(machine, present.backend, method)
}

/** Also where the machine has not reported the program: an older agent drops a query (CMD-11.2). */
export function requireQuery(machine: Machine, backend: string, method: QueryMethod): void {
  const program = reportedProgram(machine?.manifest, backend)
  const refusal = unsupportedQuery(
    { label: program?.label ?? backend, capabilities: program?.capabilities ?? {} },
    method,
  )
  if (refusal) throw refusal
}
