import { describe, expect, it } from 'vitest'
import { HeardFrames } from './heard-frames'
import type { ViewerSocket } from './viewer-socket'

describe('a page', () => {
  it('hears a frame as its row of the table reads it, without what it does not know', () => {
    const frames = new HeardFrames()
    const heard: unknown[] = []
    frames.on('lagged', (frame) => heard.push(frame))
    frames.hear('lagged', { sessionId: 's1', head: 4, colour: 'red' })
    expect(heard).toEqual([{ sessionId: 's1', head: 4 }])
  })

  it.each([
    ['nothing', undefined],
    ['a word', 'x'],
    ['a head that is no number', { sessionId: 's1', head: '4' }],
    ['no session', { head: 4 }],
  ])('hears no frame that holds %s', (_what, frame) => {
    const frames = new HeardFrames()
    const heard: unknown[] = []
    frames.on('lagged', (one) => heard.push(one))
    frames.hear('lagged', frame)
    expect(heard).toEqual([])
  })

  it('hears nothing after it stopped, and no other frame than it asked for', () => {
    const frames = new HeardFrames()
    const heard: unknown[] = []
    const stop = frames.on('agents', ({ agentId }) => heard.push(agentId))
    frames.on('inbox', ({ rev }) => heard.push(rev))
    frames.hear('agents', { agentId: 'a1' })
    stop()
    frames.hear('agents', { agentId: 'a2' })
    frames.hear('inbox', { rev: 7 })
    expect(heard).toEqual(['a1', 7])
  })

  it('does not compile with another name, frame or reply', () => {
    const never = async (socket: ViewerSocket) => {
      // @ts-expect-error no such frame
      socket.on('lag', () => {})
      // @ts-expect-error the frame holds no such field
      socket.on('inbox', ({ count }) => count)
      // @ts-expect-error no such frame
      await socket.ask('watch.session', {})
      // @ts-expect-error the session is missing
      await socket.ask('unwatch', {})
      // @ts-expect-error the reply holds no such field
      const { events } = await socket.ask('watch.inbox', {})
      return events
    }
    expect(never).toBeTypeOf('function')
  })
})
