import type { HostState } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { idleState as idle } from '../../testing/idle-state'
import type { RunningSession } from '../hosts/running-session'
import { RoomMaker } from './room-maker'

const prompt = { promptId: 'p', rev: 0, text: 'Go on.', commandId: 'c' }

/** One session waits, until a program has left. */
function machine({ nextMs = 60_000, againMs = 60_000 } = {}) {
  const sessions = new Map<string, RunningSession>()
  const asked: string[] = []
  let needed = true
  let didLeave = () => {}
  const left = new Promise<void>((resolve) => {
    didLeave = resolve
  })
  let looks = 0
  const watchers = new Map<number, () => void>()
  /** Resolves behind the look of that number. */
  const looked = (count: number) => new Promise<void>((resolve) => watchers.set(count, resolve))
  const ports = {
    running: () => {
      looks += 1
      watchers.get(looks)?.()
      return [...sessions.values()]
    },
    isNeeded: () => needed,
    left: () => {
      needed = false
      didLeave()
    },
  }
  const room = new RoomMaker(ports, nextMs, againMs)
  const has = (sessionId: string, retire: () => Promise<boolean>, fields: Partial<HostState> = {}) =>
    sessions.set(sessionId, {
      sessionId,
      starting: false,
      state: { ...idle, ...fields },
      retire: () => {
        asked.push(sessionId)
        return retire()
      },
    })
  return { room, has, asked, left, looked }
}
const leaves = async () => true
const refuses = async () => false
const saysNothing = () => new Promise<boolean>(() => {})

describe('room for the next session', () => {
  it('[CMD-8.4] [CMD-8.5] every idle program is asked, whatever the ones before it said, or when they say nothing', async () => {
    const { room, has, asked, left } = machine({ nextMs: 1 })
    has('refuses', refuses)
    has('fails', () => Promise.reject(new Error('gone')))
    has('silent', saysNothing)
    has('silent too', saysNothing)
    has('leaves', leaves)
    room.look()
    await left
    expect(asked).toEqual(['refuses', 'fails', 'silent', 'silent too', 'leaves'])
  })

  it('[CMD-8.6] one that refuses late, when nobody else is left to ask, is asked again after a while', async () => {
    const { room, has, asked, left, looked } = machine({ nextMs: 1, againMs: 1 })
    let refuse = (_left: boolean) => {}
    const answers = [() => new Promise<boolean>((resolve) => (refuse = resolve)), leaves]
    has('late', () => (answers.shift() ?? leaves)())
    room.look()
    await looked(2)
    refuse(false)
    await left
    expect(asked).toEqual(['late', 'late'])
  })

  it('[CMD-8.4] a program that became idle while another was asked is asked as well', async () => {
    const { room, has, asked, left } = machine()
    let answer = (_left: boolean) => {}
    has('slow', () => new Promise((resolve) => (answer = resolve)))
    room.look()
    has('idle by now', leaves)
    room.look()
    answer(false)
    await left
    expect(asked).toEqual(['slow', 'idle by now'])
  })

  it('[CMD-8.4] a program whose queue is held is asked: its prompts wait without it as well', async () => {
    const { room, has, asked, left } = machine()
    has('queue goes on', leaves, { queue: [prompt] })
    has('queue is held', leaves, { queue: [prompt], queueHeld: true })
    room.look()
    await left
    expect(asked).toEqual(['queue is held'])
  })

  it('[CMD-8.6] a program that refused is asked again when its state changed, and otherwise after a while', async () => {
    const { room, has, asked, left } = machine({ againMs: 20 })
    const later = async () => asked.length === 3
    has('later', later)
    room.look()
    await Promise.resolve()
    room.look()
    has('later', later, { rev: 2 })
    room.look()
    await left
    expect(asked).toEqual(['later', 'later', 'later'])
  })
})
