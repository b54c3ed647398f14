import { CodedError, type CreateSessionRequest, type PromptImage } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { AttachedImage } from '../../images/use-images'
import { startSession } from './start-session'

const request: CreateSessionRequest = { agentId: 'a1', settings: { backend: 'scripted', workDir: '/code' } }
const image: PromptImage = { imageId: 'i_old', mediaType: 'image/png', bytes: 3, sha256: '0'.repeat(64) }
const picked: AttachedImage = { key: 'k1', name: 'a.png', file: new Blob(['picked']), image: null }
const stored: AttachedImage = { key: 'k2', name: 'image', image, storedIn: 'ses_old' }

/** A hub that keeps uploads by their key. */
function hub(refuses?: string) {
  const uploads: Array<[string, string]> = []
  const created: Array<[unknown, string | undefined]> = []
  const rest = {
    image: async (sessionId: string, imageId: string) =>
      new TextEncoder().encode(`${imageId} of ${sessionId}`).buffer as ArrayBuffer,
    uploadFirstImage: async (file: Uint8Array, key = '') => {
      if (refuses === key) throw new CodedError('IMAGES_FULL')
      uploads.push([key, new TextDecoder().decode(file)])
      return { ...image, imageId: `of ${key}` }
    },
    createSession: async (body: CreateSessionRequest, key?: string) => {
      created.push([body, key])
      return { commandId: 'c1', sessionId: 's1', state: 'pending' as const }
    },
  }
  return {
    uploads,
    created,
    ports: { rest, keyOf: (text: string) => (text.startsWith('k') ? text : `key of ${text.length}`) },
  }
}

describe('starting a session', () => {
  it('[IMG-3] uploads the images in their order, each under its own key, and names them in the creation', async () => {
    const { uploads, created, ports } = hub()
    await startSession(request, [picked, stored], ports)
    expect(uploads).toEqual([
      ['k1', 'picked'],
      ['k2', 'i_old of ses_old'],
    ])
    const whole = { ...request, images: ['of k1', 'of k2'] }
    expect(created).toEqual([[whole, `key of ${JSON.stringify(whole).length}`]])
  })

  it('names none where there are none', async () => {
    const { created, ports } = hub()
    await startSession(request, [], ports)
    expect(created[0]?.[0]).toEqual(request)
  })

  it('[IMG-3] begins nothing where one image is refused, and says which', async () => {
    const { created, ports } = hub('k2')
    const refused = startSession(request, [picked, stored], ports)
    await expect(refused).rejects.toMatchObject({ code: 'IMAGES_FULL', message: expect.stringMatching(/^image: /) })
    expect(created).toEqual([])
  })
})
