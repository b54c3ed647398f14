import type { CommandView, PromptImage, SessionView } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { likeThis } from './like-session'

const image: PromptImage = { imageId: 'i1', mediaType: 'image/png', bytes: 3, sha256: '0'.repeat(64) }
const settings = { backend: 'scripted', workDir: '/code' }
const viewOf = (head: number, ...commands: Array<Partial<CommandView>>) =>
  ({ sessionId: 's1', agentId: 'a1', settings, head, commands }) as SessionView

describe('a new session like this one', () => {
  it('has the first prompt of one that never began', () => {
    const like = likeThis(viewOf(0, { kind: 'session.create', text: 'look' }))
    expect(like).toEqual({ agentId: 'a1', settings, prompt: 'look', images: [] })
  })

  it('[IMG-3] has its images too, from the hub', () => {
    const like = likeThis(viewOf(0, { kind: 'session.create' }, { kind: 'prompt.send', text: 'look', images: [image] }))
    expect(like).toMatchObject({ prompt: 'look', images: [{ image, storedIn: 's1' }] })
  })

  it('has no prompt of one in which something ran', () => {
    expect(likeThis(viewOf(3, { kind: 'prompt.send', text: 'later', images: [image] }))).toEqual({
      agentId: 'a1',
      settings,
      images: [],
    })
  })
})
