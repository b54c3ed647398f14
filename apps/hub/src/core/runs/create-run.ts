/** Starts a run: a session with one prompt, whose permission requests wait for a person or are denied (RUN-1, RUN-5). */
import {
  type AgentManifestPayload,
  CodedError,
  type CreateSessionRequest,
  isSupported,
  type PermissionConfig,
  type RunRequest,
} from '@roundhouse/backend-types'
import { type Actor, requireCan } from '../access/access'
import type { Reads } from '../ports/stores'
import { type CreateDeps, createSession } from '../sessions/create-session'
import { reportedProgram } from '../sessions/require-supported'

export interface CreateRunDeps extends CreateDeps {
  reads: Pick<Reads, 'machines' | 'sessions'>
}

export async function createRun(deps: CreateRunDeps, actor: Actor, request: RunRequest, key: string): Promise<string> {
  const { agentId, backend, workDir, prompt, title, settings = {}, onPermission } = request
  requireCan(actor, 'session.read', { agentId }) // it is told what came of it
  const machine = await deps.reads.machines.findWithManifest(agentId)
  const permissionConfig = onPermission === 'deny' ? denying(machine?.manifest, request) : settings.permissionConfig
  const asked: CreateSessionRequest = {
    agentId,
    settings: { ...settings, backend, workDir, ...(permissionConfig ? { permissionConfig } : {}) },
    prompt,
    ...(title === undefined ? {} : { title }),
  }
  const { sessionId } = await createSession(deps, actor, asked, key, { run: { request, check: requireInstalled } })
  return sessionId
}

/** The host denies at once what a person would be asked about, where the program takes such rules. The hub denies the rest. */
function denying(
  manifest: AgentManifestPayload | null | undefined,
  { backend, settings }: RunRequest,
): PermissionConfig | undefined {
  const given = settings?.permissionConfig
  const program = reportedProgram(manifest, backend)
  if (!program || !isSupported(program.capabilities, 'permission_config')) return given
  return { ...given, defaultDecision: given?.defaultDecision === 'allow' ? 'allow' : 'deny' }
}

/** What the machine does not say, it decides itself. */
function requireInstalled(manifest: AgentManifestPayload | null | undefined, backend: string): void {
  const program = reportedProgram(manifest, backend)
  if (!manifest?.backends.length || program?.installed || program?.unanswered) return
  throw new CodedError('BACKEND_UNAVAILABLE', program?.unavailableReason, { backend })
}
