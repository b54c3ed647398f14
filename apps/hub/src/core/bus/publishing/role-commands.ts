/**
 * For which managed sessions `cmd.role.<role>` is. A session is a `worker`, and it has the role of its notes (`roleId`) where a person
 * chose one. It gets the command while it is here, if the orchestrator may see it; whether the person behind the orchestrator may give it
 * is judged for each session by itself.
 */
import { CodedError, toCodedError } from '@roundhouse/backend-types'
import type { PeerRow } from '../../ports/bus-store'

/** One message commands no more sessions than this. */
export const MOST_BY_ROLE = 64

export interface RoleDeps {
  peers: readonly PeerRow[]
  maySee: (peer: PeerRow) => boolean
  /** Null: it has none. */
  roleIdOf: (sessionId: string) => Promise<string | null>
  /** Takes so many more messages of the publisher's pace. Throws `RATE_LIMITED`. */
  charge: (count: number) => void
  command: (sessionId: string) => Promise<unknown>
}

/** As on `cmd.<session>.<name>`. Null: sessions are not started by the dozen. */
export function nameOfCommand(schema: string): string | null {
  const name = schema.match(/^cmd-([a-z-]+)-v\d+$/)?.[1]?.replaceAll('-', '_') ?? null
  return name === 'spawn' ? null : name
}

/**
 * Each session counts as a message, so nobody commands more by a role than one by one. A session that cannot take it, or whose person may
 * not be commanded by this one, keeps it from no other. What a repeat can mend is thrown: those that have it already take it once.
 */
export async function commandRole(role: string, deps: RoleDeps): Promise<void> {
  const sessions = await sessionsOf(role, deps)
  if (sessions.length > MOST_BY_ROLE) {
    const text = `${sessions.length} sessions have this role. One message commands at most ${MOST_BY_ROLE}: name them, or give them roles of notes.`
    throw new CodedError('TOO_MANY_SESSIONS', text, { sessions: sessions.length, limit: MOST_BY_ROLE })
  }
  if (sessions.length > 1) deps.charge(sessions.length - 1)
  for (const sessionId of sessions) {
    try {
      await deps.command(sessionId)
    } catch (thrown) {
      const error = toCodedError(thrown)
      if (error.code === 'STORAGE_UNAVAILABLE' || error.code === 'INTERNAL') throw error
    }
  }
}

async function sessionsOf(role: string, { peers, maySee, roleIdOf }: RoleDeps): Promise<string[]> {
  const ids: string[] = []
  for (const peer of peers) {
    if (peer.kind !== 'session' || peer.state === 'left' || !maySee(peer)) continue
    if (peer.role === role || (await roleIdOf(peer.peerId)) === role) ids.push(peer.peerId)
  }
  return ids
}
