/**
 * Reads the full content that was cut from an event from its machine, a chunk at a time (LOG-6). The hub stores none of
 * it: each chunk is a question that is checked against the rights of that moment, and its answer goes to the caller.
 */

import { CodedError } from '@roundhouse/backend-types'
import type { Actor } from '../access/access'
import { artifactChunkOf } from '../common/answers'
import type { Presence } from '../machines/presence'
import type { Reads } from '../ports/stores'
import { ArtifactLane } from './artifact-lane'
import { requireSessionFor } from './session-pages'

interface ArtifactsDeps {
  presence: Presence
  reads: Pick<Reads, 'sessions'>
}

export interface ArtifactsApi {
  /** Returns as much as the machine sends at once from there on, and the size of the whole. */
  read(actor: Actor, sessionId: string, artifactId: string, from: number): Promise<{ chunk: Uint8Array; bytes: number }>
}

const CHUNK_MS = 10_000

export function createArtifacts(deps: ArtifactsDeps): ArtifactsApi {
  const lane = new ArtifactLane()
  return {
    read: async (actor, sessionId, artifactId, from) => {
      const { agentId } = await requireSessionFor(deps, actor, 'session.read', sessionId)
      if (!deps.presence.isOnline(agentId)) throw new CodedError('AGENT_OFFLINE')
      const question = { kind: 'artifact' as const, sessionId, artifactId, from }
      return lane.run(agentId, actor.userId, async () =>
        artifactChunkOf(await deps.presence.ask(agentId, question, CHUNK_MS).catch(asUnsupported)),
      )
    },
  }
}

/** An older agent does not know the question. */
function asUnsupported(error: unknown): never {
  if (error instanceof CodedError && error.code === 'MALFORMED_FRAME')
    throw new CodedError('UNSUPPORTED', "This machine's agent is too old to send what was cut. Update it.")
  throw error
}
