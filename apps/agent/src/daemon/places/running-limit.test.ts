import type { HostState, SessionStatus, Waits } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { RunningSession } from '../hosts/running-session'
import { RunningLimit } from './running-limit'

const state = (status: SessionStatus): HostState => ({
  sessionId: 's',
  leaseToken: 1,
  rev: 1,
  atSeq: 0,
  status,
  queue: [],
  queueHeld: false,
  requests: [],
  openBlocks: [],
})

class Machine {
  readonly sessions = new Map<string, RunningSession>()
  readonly retired: string[] = []
  readonly entered: string[] = []
  readonly told: Waits[] = []
  readonly limit = new RunningLimit(
    () => 2,
    () => [...this.sessions.values()],
    (waits) => this.told.push(waits),
    (sessionId) => this.looked.has(sessionId),
  )
  readonly looked = new Set<string>()

  runs(sessionId: string, status: SessionStatus = { status: 'running' }): void {
    const retire = async () => {
      this.retired.push(sessionId)
      this.sessions.delete(sessionId)
      return true
    }
    this.sessions.set(sessionId, { sessionId, starting: false, state: state(status), retire })
    this.limit.look()
  }

  /** Starts as soon as it is let in. */
  async wants(sessionId: string): Promise<void> {
    await this.limit.enter(sessionId, `c-${sessionId}`)
    this.entered.push(sessionId)
    this.runs(sessionId)
    this.limit.entered(sessionId)
  }

  ends(sessionId: string): void {
    this.sessions.delete(sessionId)
    this.limit.look()
  }
}

describe('the limit of running programs', () => {
  it('tells who waits and for what, and when nobody does any more', async () => {
    const machine = new Machine()
    await Promise.all([machine.wants('a'), machine.wants('b')])
    expect(machine.told).toEqual([])
    const waiting = machine.wants('c')
    const refused = machine.limit.enter('d', 'c-d').catch(() => {})
    expect(machine.told.at(-1)).toEqual({
      running: 2,
      limit: 2,
      commands: [
        { sessionId: 'c', commandId: 'c-c' },
        { sessionId: 'd', commandId: 'c-d' },
      ],
    })
    machine.limit.cancel('c-d')
    await refused
    expect(machine.limit.waits().commands).toEqual([{ sessionId: 'c', commandId: 'c-c' }])
    machine.ends('a')
    await waiting
    expect(machine.told.at(-1)?.commands).toEqual([])
  })

  it('lets in as many as it says, and the others in the order in which they came', async () => {
    const machine = new Machine()
    const all = ['a', 'b', 'c', 'd'].map((sessionId) => machine.wants(sessionId))
    await Promise.all(all.slice(0, 2))
    expect(machine.entered).toEqual(['a', 'b'])
    machine.ends('a')
    await all[2]
    machine.ends('b')
    await all[3]
    expect(machine.entered).toEqual(['a', 'b', 'c', 'd'])
  })

  it('lets a session in that runs already', async () => {
    const machine = new Machine()
    machine.runs('a')
    machine.runs('b')
    await machine.wants('a')
    expect(machine.entered).toEqual(['a'])
  })

  it('asks an idle program to leave, and no other', async () => {
    const machine = new Machine()
    machine.runs('a')
    machine.runs('b', { status: 'idle' })
    await machine.wants('c')
    expect(machine.retired).toEqual(['b'])
  })

  it('does not count hosts whose program has ended', async () => {
    const machine = new Machine()
    machine.runs('a', { status: 'resumable', why: 'idle' })
    machine.runs('b', { status: 'ended', why: 'stopped' })
    machine.runs('c')
    await machine.wants('d')
    expect(machine.retired).toEqual([])
  })

  it('[CMD-4.3] a command that still waits can be called back', async () => {
    const machine = new Machine()
    machine.runs('a')
    machine.runs('b')
    const waiting = machine.limit.enter('c', 'c-c')
    expect(machine.limit.cancel('c-c')).toBe(true)
    await expect(waiting).rejects.toMatchObject({ code: 'COMMAND_EXPIRED' })
    expect(machine.limit.cancel('c-c')).toBe(false)
  })

  it('[CMD-7] [CMD-8.1] does not keep whoever can go another way, but for those among the next', async () => {
    const machine = new Machine()
    machine.runs('a')
    machine.runs('b')
    const parked = ['c', 'd'].map((sessionId) => machine.limit.enter(sessionId, `c-${sessionId}`, 'accepted'))
    expect(await machine.limit.enter('e', 'c-e', 'soon')).toBe(false)
    expect(await machine.limit.enter('a', 'c-a', 'soon')).toBe(true)
    machine.limit.entered('a')
    expect(machine.limit.cancel('c-c')).toBe(false) // it was accepted: no cancel takes it back
    machine.limit.withdraw('c')
    expect(await parked[0]).toBe(false)
    machine.ends('b')
    expect(await parked[1]).toBe(true)
  })

  it('[CMD-8.14] gives the next place to a session that somebody looks at', async () => {
    const machine = new Machine()
    const all = ['a', 'b', 'c', 'd', 'e'].map((sessionId) => machine.wants(sessionId))
    machine.looked.add('e')
    await Promise.all(all.slice(0, 2))
    machine.ends('a')
    await all[4]
    machine.ends('b')
    await all[2]
    expect(machine.entered).toEqual(['a', 'b', 'e', 'c'])
  })

  it('[RES-3.13] lets whoever goes on by itself take what is free, behind all who were asked for', async () => {
    const machine = new Machine()
    const order: string[] = []
    const wants = (sessionId: string, patience: 'spare' | 'soon') =>
      machine.limit.enter(sessionId, `c-${sessionId}`, patience).then((in_) => void (in_ && order.push(sessionId)))
    machine.runs('idle', { status: 'idle' })
    machine.runs('busy')
    const [one, two] = [wants('one', 'spare'), wants('two', 'spare')]
    machine.limit.look()
    expect(machine.retired).toEqual([]) // nobody is asked to leave for them
    await wants('asked', 'soon')
    expect(machine.retired).toEqual(['idle'])
    machine.runs('asked')
    machine.limit.entered('asked')
    machine.limit.withdraw('two', 'spare')
    machine.ends('busy')
    await Promise.all([one, two])
    expect(order).toEqual(['asked', 'one'])
  })

  it('[RES-3.15] counts a session that pauses before it goes on by itself, and asks it to leave for one that is asked for', async () => {
    const machine = new Machine()
    machine.runs('pauses', { status: 'resumable', why: 'process_exited', resumes: { attempt: 1, at: 1 } })
    machine.runs('busy')
    await machine.wants('asked')
    expect(machine.retired).toEqual(['pauses'])
  })

  it('asks another idle program where the first does not leave', async () => {
    const machine = new Machine()
    machine.runs('frozen', { status: 'idle' })
    const frozen = machine.sessions.get('frozen')
    let asked = 0
    if (frozen)
      frozen.retire = async () => {
        asked += 1
        return false
      }
    machine.runs('idle', { status: 'idle' })
    await machine.wants('c')
    expect(machine.retired).toEqual(['idle'])
    machine.runs('c', { status: 'idle' })
    await machine.wants('d')
    expect({ retired: machine.retired, asked }).toEqual({ retired: ['idle', 'c'], asked: 1 })
  })

  it('[SES-3] forgets whatever waits for a session that is erased: nothing of it starts when a place is free', async () => {
    const machine = new Machine()
    await Promise.all([machine.wants('a'), machine.wants('b')])
    const resumes = machine.wants('c')
    const next = machine.wants('d')
    machine.limit.erased('c')
    await expect(resumes).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(machine.limit.waits().commands.map(({ sessionId }) => sessionId)).toEqual(['d'])
    machine.ends('a')
    await next
    expect(machine.entered).toEqual(['a', 'b', 'd'])
  })
})
