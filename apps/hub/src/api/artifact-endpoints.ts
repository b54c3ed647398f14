import { z } from 'zod'
import type { Core } from '../core'
import { Download } from './download'
import { type Endpoint, endpoint } from './endpoint'

const ChunkQuery = z.object({ from: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0) })

export function artifactEndpoints({ artifacts }: Pick<Core, 'artifacts'>): Endpoint[] {
  return [
    endpoint(
      {
        method: 'get',
        path: '/sessions/:sessionId/artifacts/:artifactId',
        summary: 'A chunk of what was cut from an event, from its machine',
        tag: 'sessions',
        query: ChunkQuery,
        download: true,
        answer: z.instanceof(Download),
        errors: [
          'SESSION_NOT_FOUND',
          'SESSION_DELETED',
          'ARTIFACT_GONE',
          'AGENT_OFFLINE',
          'QUESTION_TIMEOUT',
          'RATE_LIMITED',
          'UNSUPPORTED',
        ],
      },
      async ({ actor, id, query: { from } }) => {
        const { sessionId = '', artifactId = '' } = id
        const { chunk, bytes } = await artifacts.read(actor, sessionId, artifactId, from)
        return new Download(chunk, `${artifactId}.txt`, { from, whole: bytes })
      },
    ),
  ]
}
