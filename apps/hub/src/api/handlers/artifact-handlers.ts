import type { SessionServices } from '../../core'
import { Download } from './download'
import type { Handlers } from './handlers'

export function artifactHandlers({ artifacts }: Pick<SessionServices, 'artifacts'>): Handlers<'readArtifact'> {
  return {
    readArtifact: async ({ actor, id, query: { from } }) => {
      const { sessionId = '', artifactId = '' } = id
      const { chunk, bytes } = await artifacts.read(actor, sessionId, artifactId, from)
      return new Download(chunk, `${artifactId}.txt`, { from, whole: bytes })
    },
  }
}
