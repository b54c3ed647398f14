/**
 * A session is deleted, and the process that erases it is killed in the middle. It goes on at the next start: nobody has to
 * delete another session, and the machine needs no hub for it.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Failpoints } from '@roundhouse/failpoint'
import { afterEach, describe, expect, it } from 'vitest'
import { inTheFile } from '../support/accounts/in-the-file'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'

let rig: Rig
afterEach(() => rig.dispose())

const short = [{ text: 'Gone soon.' }]
/** More than what the hub erases in one step. */
const long = [{ count: { to: 2_100, delayMs: 0 } }]

/** A process dies when it passes `name` for the `at`th time, once. */
async function startDying(name: 'hub.erase' | 'agent.erase', at: number, idleMs?: number) {
  const mark = path.join(freshFolder('mark'), 'fired')
  const points: Failpoints = { [name]: { do: 'kill', at, mark } }
  const where = name === 'hub.erase' ? { hubFailpoints: points } : { agentFailpoints: points }
  rig = await startRig({ ...where, ...(idleMs === undefined ? {} : { idleMs }) })
  return () => until(`${name} to kill`, () => existsSync(mark))
}

const hubHas = (table: string, where = '1') =>
  inTheFile(
    path.join(rig.system.hub.dataDir, 'hub.db'),
    (db) => Number(db.prepare(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get()),
    { readonly: true },
  )

describe('the hub dies while it erases', () => {
  it.each([
    ...(wholeMatrix
      ? ([
          ['before anything is gone', short, 1],
          ['before it says that all is gone', short, 2],
        ] as const)
      : []),
    ['in the middle', long, 2],
  ] as const)('[SES-3.4] %s: the next one goes on by itself', async (_when, steps, at) => {
    const fired = await startDying('hub.erase', at)
    const kept = await rig.begin(short)
    const sessionId = await rig.begin(steps)
    await rig.agree(sessionId)
    await rig.agree(kept)
    const before = rig.stored(kept)
    await rig.rest.deleteSession(sessionId).catch(() => {}) // its answer may die with it
    await fired()
    await rig.system.hub.kill()
    expect(hubHas('Tombstone', 'erased = 0')).toBe(1)
    await rig.system.hub.start()
    await until('its events to be gone', () => hubHas('Event') === before)
    await until('the hub to know that', () => hubHas('Tombstone', 'erased = 0') === 0)
    expect(rig.stored(kept)).toBe(before)
    await until('the machine to have erased it', () => !rig.system.agent.sessionIds().includes(sessionId))
  })
})

describe('the daemon dies while it erases', () => {
  const others = [
    [2, 'after its host has ended', 'running'],
    [3, 'before it is forgotten', 'at rest'],
    [4, 'before its folder goes', 'at rest'],
    [6, 'when another part of its folder is gone', 'at rest'],
  ] as const
  const scratchOf = (sessionId: string) => path.join(`${rig.system.agent.home}-scratch`, sessionId)
  const state = (...names: string[]) => path.join(rig.system.agent.home, 'state', ...names)

  /** Whatever of this session lies on the machine. */
  function leftOf(sessionId: string): string[] {
    const { agent } = rig.system
    const rows = inTheFile(
      state('index.db'),
      (db) => db.prepare('SELECT count(*) FROM sessions WHERE sessionId = ?').pluck().get(sessionId),
      { readonly: true },
    )
    const marked = existsSync(state('erasing')) ? readdirSync(state('erasing')) : []
    return [
      ...(agent.hasHost(sessionId) ? ['its host'] : []),
      ...(existsSync(agent.sessionFolder(sessionId)) ? ['its folder'] : []),
      ...(existsSync(scratchOf(sessionId)) ? ['its temporary files'] : []),
      ...(rows === 0 ? [] : ['its row']),
      ...marked.map((name) => `the note about ${name}`),
    ]
  }

  it.each([
    [5, 'when a part of its folder is gone', 'at rest'],
    ...(wholeMatrix ? ([[1, 'before its host is asked to end', 'running'], ...others] as const) : []),
  ] as const)(
    '[SES-3.4] at moment %i, %s (%s): the next one goes on by itself, without a hub',
    async (at, _when, how) => {
      const fired = await startDying('agent.erase', at, how === 'at rest' ? 1_000 : undefined)
      const { agent, hub } = rig.system
      const kept = await rig.begin(short)
      const sessionId = await rig.begin(short)
      await rig.agree(sessionId)
      await rig.agree(kept)
      if (how === 'at rest') {
        await until('its host to leave', () => agent.hostPid(sessionId) === undefined)
        mkdirSync(scratchOf(sessionId), { recursive: true, mode: 0o700 })
        writeFileSync(path.join(scratchOf(sessionId), 'left.txt'), 'by a program')
      }
      await rig.rest.deleteSession(sessionId)
      await fired()
      await hub.stop()
      await agent.kill()
      agent.launch()
      await until('nothing of it to be left', () => leftOf(sessionId).length === 0).catch((error) => {
        throw new Error(`left: ${leftOf(sessionId).join(', ')}`, { cause: error })
      })
      await hub.start()
      await agent.connected()
      await until('the hub to hear that it is done', () =>
        hubHas('Command', "kind = 'session.delete' AND state = 'done'"),
      )
      expect(leftOf(sessionId)).toEqual([])
      expect(agent.sessionIds()).toEqual([kept])
      await rig.prompt(kept, short)
      await rig.agree(kept)
    },
  )

  variation(
    '[SES-3.7] [POL-3] a machine that was away, and paused when it came back, erases once its owner lets it go on',
    async () => {
      rig = await startRig({ idleMs: 1_000 })
      const { agent } = rig.system
      const sessionId = await rig.begin(short)
      await rig.agree(sessionId)
      await until('its host to leave', () => agent.hostPid(sessionId) === undefined)
      await agent.stop()
      await agent.start() // and says all that is new of it: the next hello has nothing to say
      await agent.stop()
      await rig.rest.deleteSession(sessionId)
      await agent.pause()
      await agent.start()
      await until('the machine to refuse', () => hubHas('Command', "kind = 'session.delete' AND state = 'refused'"))
      expect(agent.sessionIds()).toEqual([sessionId])
      await agent.resume()
      await until('nothing of it to be left', () => leftOf(sessionId).length === 0)
    },
  )
})
