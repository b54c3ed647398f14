/**
 * Only the owner may change what this machine allows. If a program of one of its sessions starts such a command, it is
 * refused (POL-4). Programs carry the session's mark in their environment; docs/policy.md says that a program which removes
 * the mark is not detected.
 */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { CodedError } from '@roundhouse/backend-types'
import type { AgentHome } from '../files/agent-home'
import { SESSION_MARK } from '../host-contract/launch-spec'
import type { Verb } from './arguments'

/** These look, speak to the session's own host, or to a hub with a token that they were given. */
const ofPrograms: ReadonlySet<Verb['verb']> = new Set([
  ...(['help', 'version', 'status', 'doctor', 'policy', 'log'] as const),
  ...(['tools', 'publish', 'publish-message', 'subscribe'] as const),
])

export function requireOwner(asked: Verb, env: Record<string, string | undefined>, home: AgentHome): void {
  const { verb } = asked
  const sessionId = env[SESSION_MARK]
  if (!sessionId || ofPrograms.has(verb) || (asked.verb === 'rules' && asked.revoke === null)) return
  // A session of another home, such as one that runs the tests of this program, may have an agent of its own.
  const folders = [home.sessions, home.bridges].map((sessions) => path.join(sessions, path.basename(sessionId)))
  if (!folders.some((folder) => existsSync(folder))) return
  throw new CodedError('FORBIDDEN', `Only the owner of this machine can run ${verb}, not a program of a session.`)
}
