/** RES-3 where not only the program dies, but its host, its daemon with it, or all of the machine. */
import { script } from '@roundhouse/adapter-scripted'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CrashingMachine } from '../../testing/crashing-machine'
import { sessionName } from '../../testing/session-name'
import { variation, wholeMatrix } from '../../testing/variation'

// Each pauses for a second or more, and starts several daemons and hosts.
vi.setConfig({ testTimeout: 120_000 })

const [s1, s2, s3, s4] = [sessionName('s1'), sessionName('s2'), sessionName('s3'), sessionName('s4')]

let machine: CrashingMachine
beforeEach(async () => {
  machine = await CrashingMachine.start()
})
afterEach(() => machine.dispose())

const resumed = (sessionId: string, starts = 2) =>
  machine.until(() => machine.starts(sessionId) === starts && machine.status(sessionId).status === 'idle')

/** Another session crashes after them and is resumed: by then they would have been resumed, too. */
async function areLeftAlone(...sessions: Array<[sessionId: string, starts: number]>): Promise<void> {
  await machine.asks(s3)
  machine.kill(s3)
  await resumed(s3)
  for (const [sessionId, starts] of sessions) {
    expect(machine.starts(sessionId)).toBe(starts)
    expect(machine.status(sessionId).resumes).toBeUndefined()
  }
}

describe('[RES-3] a session that goes on by itself after a crash', () => {
  it('[RES-3.1] [RES-3.4] is resumed when its host is killed in a turn; one that does not want it waits for a person', async () => {
    await machine.asks(s2, false)
    machine.kill(s2)
    await machine.until(() => machine.count(s2, 'turn_completed') === 1)
    await machine.asks(s1)
    await machine.crashes(s1)
    expect(machine.status(s1)).toMatchObject({ status: 'resumable', why: 'host_died', resumes: { attempt: 1 } })
    await resumed(s1)
    expect(machine.events(s1).findLast(({ kind }) => kind === 'session_started')).toMatchObject({ resumed: true })
    expect([machine.count(s1, 'turn_completed'), machine.starts(s2)]).toEqual([1, 1])
  })

  variation('is resumed between two turns, too', async () => {
    await machine.rests(s1)
    machine.kill(s1)
    await resumed(s1)
    expect(machine.count(s1, 'turn_completed')).toBe(1)
  })

  variation('[RES-6] is resumed by the next daemon when all of the machine died', async () => {
    await machine.asks(s1)
    await machine.loseDaemon()
    machine.kill(s1)
    await machine.begin()
    await resumed(s1)
    expect([machine.count(s1, 'turn_completed'), machine.count(s1, 'process_exited')]).toEqual([1, 1])
  })

  variation(
    '[RES-3.2] [RES-3.3] is tried three times over any number of hosts and daemons; a completed turn begins anew',
    async () => {
      await machine.asks(s1)
      for (const attempt of [1, 2, 3]) {
        if (attempt === 2) {
          await machine.loseDaemon()
          machine.kill(s1)
          await machine.begin()
        } else await machine.crashes(s1, attempt)
        await resumed(s1, attempt + 1)
      }
      machine.kill(s1)
      await machine.until(() => machine.count(s1, 'process_exited') === 4)
      await areLeftAlone([s1, 4])
      await machine.command(s1, { kind: 'prompt.send', promptId: 'again', text: script([{ text: 'Again.' }]) })
      await machine.until(() => machine.count(s1, 'turn_completed') === 2 && machine.status(s1).status === 'idle')
      machine.kill(s1)
      await resumed(s1, 6)
    },
  )

  it('[RES-3.7] [RES-3.9] [RES-3.16] is resumed once: where the daemon dies in the pause, and where a person sends a prompt in it; one that a person stopped is not', async () => {
    await machine.asks(s1)
    await machine.crashes(s1)
    await machine.restartDaemon()
    if (wholeMatrix) await machine.restartDaemon()
    await resumed(s1)

    await machine.asks(s4)
    await machine.crashes(s4)
    await machine.command(s4, { kind: 'prompt.send', promptId: 'now', text: script([{ text: 'Now.' }]) })
    await machine.until(() => machine.count(s4, 'turn_completed') === 2)

    // It stays stopped where its host dies of that, whoever reads it later.
    await machine.rests(s2)
    await machine.command(s2, { kind: 'process.end' }, false)
    await machine.until(() => machine.status(s2).why === 'ended_by_person')
    machine.kill(s2)
    await machine.until(() => !machine.running.liveSessions().includes(s2))

    await machine.restartDaemon()
    await areLeftAlone([s1, 2], [s4, 2], [s2, 1])
    expect(machine.count(s1, 'process_exited')).toBe(1)
  })
})

describe('[RES-3] a session that pauses before it goes on by itself', () => {
  const ways = {
    'its program is stopped': () => machine.command(s1, { kind: 'process.end' }, false),
    'it is ended for good': () => machine.command(s1, { kind: 'session.stop' }, false),
    'the choice is taken back': () =>
      machine.command(s1, { kind: 'session.configure', changes: { autoResume: false } }),
    'the sessions of the machine are ended': () => machine.endSessionsAndBegin(),
  }

  variation.each(Object.entries(ways))('is left alone once %s', async (_what, act) => {
    await machine.asks(s1)
    await machine.asks(s2, false)
    // One place, which the other session has: however long what people do takes here, the pause is not over before.
    await machine.loseDaemon()
    machine.allowPrograms(1)
    await machine.begin()
    await machine.crashes(s1)
    await act()
    await machine.until(() => machine.status(s1).resumes === undefined)
    await machine.loseDaemon()
    machine.allowPrograms(4)
    await machine.begin()
    await areLeftAlone([s1, 1])
  })
})

describe('[RES-3] a session that a person stopped', () => {
  variation('[RES-3.17] stays stopped where its host did not answer and was ended', async () => {
    await machine.rests(s1)
    machine.freeze(s1)
    await machine.endSessionsAndBegin()
    await machine.until(() => machine.count(s1, 'process_exited') === 1)
    await areLeftAlone([s1, 1])
  })
})

describe('[RES-3] [CMD-8] sessions that go on by themselves on a machine with few places', () => {
  variation('take the free ones and wait for the others, behind whoever is asked for', async () => {
    const all = [s1, s2, s3]
    for (const sessionId of all) await machine.rests(sessionId)
    await machine.loseDaemon()
    for (const sessionId of all) machine.kill(sessionId)
    machine.allowPrograms(1)
    await machine.begin()
    const started = () => all.filter((sessionId) => machine.starts(sessionId) === 2)
    await machine.until(() => started().length === 1 && machine.hub.waits.at(-1)?.commands.length === 2)
    const [first = ''] = started()
    const [asked = '', last = ''] = all.filter((sessionId) => sessionId !== first)
    await machine.command(last, { kind: 'prompt.send', promptId: 'mine', text: script([{ text: 'Mine.' }]) })
    await machine.until(() => machine.count(last, 'turn_completed') === 2)
    expect([machine.starts(first), machine.starts(asked), machine.starts(last)]).toEqual([2, 1, 2])
    // The place is free again: nobody is asked to leave it for one that goes on by itself.
    await machine.command(last, { kind: 'process.end' }, false)
    await resumed(asked)
    expect(machine.starts(first)).toBe(2)
  })
})
