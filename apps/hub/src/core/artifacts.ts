/**
 * What was cut from an event, read from its machine a chunk at a time (LOG-6). The hub keeps nothing of it: each chunk is a
 * question, judged by the rights of that moment, and its answer goes on to whoever asked.
 */
import { CodedError } from '@roundhouse/backend-types'
import { readArtifactChunk } from './answers'
import { ArtifactLane } from './artifact-lane'
import type { Context } from './context'
import type { ArtifactsApi } from './facade'
import { requireSessionFor } from './session-pages'

const CHUNK_MS = 10_000

export function createArtifacts(context: Context): ArtifactsApi {
  const lane = new ArtifactLane()
  return {
    read: async (actor, sessionId, artifactId, from) => {
      const { agentId } = requireSessionFor(context, actor, 'session.read', sessionId)
      if (!context.presence.isOnline(agentId)) throw new CodedError('AGENT_OFFLINE')
      const question = { kind: 'artifact' as const, sessionId, artifactId, from }
      return lane.run(agentId, actor.userId, async () =>
        readArtifactChunk(await context.presence.ask(agentId, question, CHUNK_MS).catch(asUnsupported)),
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
