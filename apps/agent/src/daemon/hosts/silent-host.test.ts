import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Command, CommandAnswer, HostState } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HostClass } from '../../processes/classify'
import { hostedOf, OlderHost } from '../../testing/older-host'
import { forwardCommand } from './forward-command'
import type { LaunchMode } from './session/hosted-session-ports'

const state: HostState = {
  sessionId: 's1',
  leaseToken: 1,
  rev: 1,
  atSeq: 3,
  status: { status: 'running' },
  queue: [],
  queueHeld: false,
  requests: [],
  openBlocks: [],
}
const stuck: HostClass = { class: 'stuck' }
const attached: HostClass = { class: 'attached' }
const never = new Promise<never>(() => {})
const token = 'x'.repeat(32)

let folder: string
let hosts: OlderHost[]
let found: HostClass
let looks: Array<number | undefined>
let looked: Promise<void>
let haveLooked: () => void
/** Called when the account of that number is heard. */
const accounts = new Map<number, () => void>()
const accountOf = (rev: number) => new Promise<void>((resolve) => accounts.set(rev, resolve))
let launched: Array<LaunchMode['mode']>
/** Launches that were told that the end was asked for. */
let endsAsked: Array<LaunchMode['mode']>
let reaped: number
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'rh-'))
  hosts = [new OlderHost(state), new OlderHost(state)]
  await Promise.all(hosts.map((host, i) => host.listen(path.join(folder, i === 0 ? 'h.sock' : 'next.sock'))))
  found = attached
  looks = []
  haveLooked = () => {}
  launched = []
  endsAsked = []
  reaped = 0
})
afterEach(async () => {
  await Promise.all(hosts.map((host) => host.close()))
  rmSync(folder, { recursive: true })
})

async function sessionThatFound(first: HostClass) {
  found = first
  const hosted = hostedOf(folder, {
    processes: {
      classify: async (_sessionId, patienceMs) => {
        looks.push(patienceMs)
        haveLooked()
        if (launched.includes('run')) return attached
        return reaped > 0 ? { class: 'dead' } : found
      },
      inStartTurn: (_sessionId, work) => work(),
      launch: (_sessionId, launch) => {
        const { mode } = launch
        launched.push(mode)
        if ('endAsked' in launch) endsAsked.push(mode)
        const exited = mode === 'run' ? never : Promise.resolve({ code: 0, signal: null })
        const socketPath = path.join(folder, mode === 'run' ? 'next.sock' : 'nobody.sock')
        return { door: { socketPath, token }, host: { pid: 1, exited } }
      },
      reap: async () => {
        reaped += 1
      },
    },
    records: { settled: () => {}, closed: () => {} },
    reports: { state: ({ rev }) => accounts.get(rev)?.() },
  })
  await hosted.adopt()
  looks.length = 0
  looked = new Promise((resolve) => {
    haveLooked = resolve
  })
  return hosted
}

const command = (kind: 'session.stop' | 'process.end' | 'prompt.send' | 'turn.interrupt') =>
  ({ commandId: 'c1', sessionId: 's1', body: { kind } }) as Command
const accepted: CommandAnswer = { state: 'accepted' }
const atOnce = { answerMs: 0, idleMs: 0 }

describe('[CMD-2] [LOG-7] a command that ends the work', () => {
  it.each(['session.stop', 'process.end'] as const)(
    '[CMD-8.12] [CMD-8.22] (%s) ends a host that says nothing, on purpose, and goes to the next',
    async (kind) => {
      const hosted = await sessionThatFound(attached)
      hosts[0]?.silentTo.add('command')
      found = stuck
      expect(await forwardCommand(command(kind), hosted, (host) => host.command(command(kind)), false, atOnce)).toEqual(
        accepted,
      )
      expect({ reaped, launched, endsAsked }).toEqual({ reaped: 1, launched: ['close', 'run'], endsAsked: ['close'] })
      hosted.release()
    },
  )

  it('waits for a host that greets whoever comes anew: its disk may be full', async () => {
    const hosted = await sessionThatFound(attached)
    let answer = (_answer: CommandAnswer) => {}
    const later = new Promise<CommandAnswer>((resolve) => {
      answer = resolve
    })
    const told = forwardCommand(command('session.stop'), hosted, () => later, false, atOnce)
    await looked
    answer(accepted)
    expect(await told).toEqual(accepted)
    expect({ reaped, launched }).toEqual({ reaped: 0, launched: [] })
    hosted.release()
  })

  it('[RES-1.14] ends a host that was never found, and goes to the next', async () => {
    const hosted = await sessionThatFound(stuck)
    expect(await forwardCommand(command('session.stop'), hosted, async () => accepted, false, atOnce)).toEqual(accepted)
    expect({ reaped, launched }).toEqual({ reaped: 1, launched: ['close', 'run'] })
    hosted.release()
  })
})

describe('[RES-1.13] any other command', () => {
  it.each(['prompt.send', 'turn.interrupt'] as const)(
    '(%s) waits for a silent host whose last account says that it is at work: with it would end more than is asked',
    async (kind) => {
      const hosted = await sessionThatFound(attached)
      hosts[0]?.silentTo.add('command')
      found = stuck
      let answer = (_answer: CommandAnswer) => {}
      const later = new Promise<CommandAnswer>((resolve) => {
        answer = resolve
      })
      const end = hosted.endSilent.bind(hosted)
      const insisted = new Promise<boolean>((resolve) => {
        hosted.endSilent = (...asked) => {
          const ended = end(...asked)
          resolve(ended)
          return ended
        }
      })
      const told = forwardCommand(command(kind), hosted, () => later, false, atOnce)
      expect(await insisted).toBe(false)
      answer(accepted)
      expect(await told).toEqual(accepted)
      expect({ reaped, launched }).toEqual({ reaped: 0, launched: [] })
      hosted.release()
    },
  )

  it('[CMD-8.8] ends a silent host whose last account says that it rests, and goes to the next', async () => {
    const hosted = await sessionThatFound(attached)
    hosts[0]?.silentTo.add('command')
    hosts[0]?.say({ type: 'state', state: { ...state, rev: 2, status: { status: 'idle' } } })
    await accountOf(2)
    found = stuck
    const told = forwardCommand(
      command('prompt.send'),
      hosted,
      (host) => host.command(command('prompt.send')),
      true,
      atOnce,
    )
    expect(await told).toEqual(accepted)
    expect({ reaped, launched, endsAsked }).toEqual({ reaped: 1, launched: ['close', 'run'], endsAsked: [] })
    hosted.release()
  })

  it('[RES-1.13] waits while its host is searched for, all of them for one search', async () => {
    const hosted = await sessionThatFound(stuck)
    found = attached
    const answers = await Promise.all(
      [1, 2, 3].map(() => forwardCommand(command('prompt.send'), hosted, async () => accepted, false)),
    )
    expect(answers).toEqual([accepted, accepted, accepted])
    expect(looks).toEqual([expect.any(Number)])
    expect({ reaped, launched, stuck: hosted.stuck }).toEqual({ reaped: 0, launched: [], stuck: false })
    hosted.release()
  })

  it('is refused where it is not found, and ends nothing', async () => {
    const hosted = await sessionThatFound(stuck)
    const answer = forwardCommand(command('prompt.send'), hosted, async () => accepted, false)
    await expect(answer).rejects.toMatchObject({ code: 'ALREADY_RUNNING' })
    expect({ reaped, launched }).toEqual({ reaped: 0, launched: [] })
    hosted.release()
  })
})
