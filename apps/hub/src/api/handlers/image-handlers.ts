import type { SessionServices } from '../../core'
import { Download } from './download'
import type { Handlers } from './handlers'

export function imageHandlers({
  images,
}: Pick<SessionServices, 'images'>): Handlers<'uploadImage' | 'uploadFirstImage' | 'getImage'> {
  return {
    uploadImage: ({ actor, id, bytes, key }) => images.upload(actor, id.sessionId, bytes, key),
    uploadFirstImage: ({ actor, bytes, key }) => images.uploadFirst(actor, bytes, key),
    getImage: async ({ actor, id }) => {
      const { bytes, mediaType } = await images.read(actor, id.sessionId, id.imageId)
      return new Download(bytes, `${id.imageId}.${mediaType.slice('image/'.length)}`)
    },
  }
}
