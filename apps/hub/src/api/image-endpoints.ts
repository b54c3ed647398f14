import * as T from '@roundhouse/backend-types'
import { z } from 'zod'
import type { Core } from '../core'
import { Download } from './download'
import { type Endpoint, endpoint } from './endpoint'

const tag = 'sessions'
const gone = ['SESSION_NOT_FOUND', 'SESSION_DELETED'] as const

export function imageEndpoints({ images }: Pick<Core, 'images'>): Endpoint[] {
  return [
    endpoint(
      {
        method: 'post',
        path: '/sessions/:sessionId/images',
        summary: 'Upload an image for a prompt',
        tag,
        upload: { limit: T.IMAGE_LIMIT_BYTES, tooLarge: 'IMAGE_TOO_LARGE' },
        answer: T.ImageUploaded,
        status: 201,
        errors: [...gone, 'IMAGE_INVALID', 'IMAGE_TOO_LARGE', 'IMAGES_FULL', 'UNSUPPORTED'],
      },
      ({ actor, id, bytes, key }) => images.upload(actor, id.sessionId ?? '', bytes, key),
    ),
    endpoint(
      {
        method: 'get',
        path: '/sessions/:sessionId/images/:imageId',
        summary: 'An image of a prompt',
        tag,
        download: true,
        answer: z.instanceof(Download),
        errors: [...gone, 'IMAGE_NOT_FOUND'],
      },
      async ({ actor, id }) => {
        const { bytes, mediaType } = await images.read(actor, id.sessionId ?? '', id.imageId ?? '')
        return new Download(bytes, `${id.imageId}.${mediaType.slice('image/'.length)}`)
      },
    ),
  ]
}
