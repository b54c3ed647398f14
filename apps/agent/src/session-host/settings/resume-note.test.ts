/** RES-3: who closes the log of a host that died writes down, in the same transaction, that its session goes on by itself. */
import { existsSync } from 'node:fs'
import { script } from '@roundhouse/adapter-scripted'
import { FAILPOINTS_VARIABLE, type Failpoints } from '@roundhouse/failpoint'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { markStopped } from '../../host-contract/stopped-mark'
import { parseWish, type ResumeWish, resumeWishKey } from '../../log/resume-wish'
import { HostWorld } from '../../testing/host-world'
import { variation, wholeMatrix } from '../../testing/variation'

let world: HostWorld
beforeEach(async () => {
  world = await HostWorld.create()
})
afterEach(() => world.dispose())

const close = { mode: 'close' } as const
const dyingAt = (at: number): Record<string, string> => {
  const points: Failpoints = { 'agent.append': { do: 'kill', at } }
  return { [FAILPOINTS_VARIABLE]: JSON.stringify(points) }
}

/** In the middle of a turn; resolves to where its log ended. */
async function hostDies(settings: { autoResume?: boolean } = { autoResume: true }) {
  const launched = world.start()
  const host = await world.attach(launched)
  await host.client.command(world.create(settings, script([{ text: 'It never ends ', hang: true }])))
  await host.until(() => host.frames.length > 0)
  process.kill(launched.pid, 'SIGKILL')
  await host.gone()
  await world.guardIsDone()
  return { logId: host.client.hello.logId, last: world.envelopes().length }
}

const closed = async () => expect((await world.start(close).exited).code).toBe(0)

function wish(): ResumeWish {
  const db = new Database(world.files.log, { readonly: true })
  const row = db.prepare('SELECT value FROM meta WHERE key = ?').pluck().get(resumeWishKey) as string | undefined
  db.close()
  return parseWish(row ?? null)
}

/** As if its pause were over. */
function becomesDue(): void {
  const db = new Database(world.files.log)
  db.prepare('UPDATE meta SET value = ? WHERE key = ?').run(JSON.stringify({ ...wish(), at: 0 }), resumeWishKey)
  db.close()
}

const waits = { phase: 'waits', tries: 1, at: expect.any(Number) }

describe('[RES-3.6] [LOG-7] the log of a session whose host died', () => {
  variation('says it once, wherever those die that close it', async () => {
    await hostDies()
    let deaths = 0
    for (let at = 1; ; at += 1) {
      const { code } = await world.start(close, dyingAt(at)).exited
      if (code === 0) break
      deaths += 1
      expect(existsSync(world.files.host)).toBe(true)
      expect(wish().phase === 'waits').toBe(world.of('process_exited').length === 1)
    }
    expect(deaths).toBeGreaterThan(1)
    expect(wish()).toEqual(waits)
    expect(world.of('process_exited')).toHaveLength(1)
    const { at } = wish() as { at: number }
    await closed()
    expect(wish()).toEqual({ ...waits, at })
  })

  variation('says nothing of the kind where that was not wished, or a person stopped it without its host', async () => {
    await hostDies({})
    await closed()
    expect([wish().phase, existsSync(world.files.resumes)]).toEqual(['none', false])
    expect(world.lastState()?.status).not.toHaveProperty('resumes')
  })

  it('[RES-3.17] [CMD-8.22] says that a person stopped it, where the host could not be told, and that it was ended for that', async () => {
    await hostDies()
    markStopped(world.sessionDir)
    expect((await world.start({ ...close, endAsked: true }).exited).code).toBe(0)
    expect([wish().phase, existsSync(world.files.stopped)]).toEqual(['stopped', false])
    expect(world.of('process_exited')).toMatchObject([{ cause: 'killed' }])
    expect(world.of('turn_completed')).toMatchObject([{ reason: 'process_exited' }])
  })

  it('[REB-1] [REB-3] [RES-3.21] [RES-3.22] is there before the record of the host is gone, is kept through a rebase and through pruning, and goes with a log that lost its end', async () => {
    const { logId, last } = await hostDies()
    await closed()
    expect(wish()).toEqual(waits)
    expect([existsSync(world.files.host), existsSync(world.files.resumes)]).toEqual([false, true])
    expect(world.lastState()?.status).toMatchObject({ why: 'host_died', resumes: { attempt: 1 } })
    const { at } = wish() as { at: number }
    const rebase = { held: last - 1, to: last + 10, epoch: 'e', logId }
    expect((await world.start({ mode: 'rebase', rebase }).exited).code).toBe(0)
    expect(world.of('gap')).toHaveLength(1)
    expect(wish()).toEqual({ ...waits, at })
    expect(world.lastState()?.status).toMatchObject({ resumes: { attempt: 1, at } })
    const acked = { logId, upTo: last + 20, epoch: 'e', present: true }
    const limits = { keepMs: 1, keepBytes: 0, backlogBytes: 1_000_000 }
    expect((await world.start({ mode: 'prune', limits, acked }).exited).code).toBe(0)
    expect(world.envelopes()[0]?.seq).toBeGreaterThan(1)
    expect(wish()).toEqual({ ...waits, at })
    // A person may have stopped it in what is lost.
    const known = { logId, last: last + 100 }
    expect((await world.start({ ...close, known }).exited).code).toBe(0)
    expect(wish()).toEqual({ phase: 'none', tries: 3 })
    expect(world.lastState()?.status).not.toHaveProperty('resumes')
    expect(existsSync(world.files.resumes)).toBe(false)
  })
})

describe('[RES-3] an attempt', () => {
  it('counts once it is on the disk that it began, wherever its host dies then', async () => {
    await hostDies()
    await closed()
    const seen: ResumeWish[] = []
    // Before the begin is on the disk, before the spawn is, behind the spawn, and before the last spawn.
    const points = wholeMatrix ? [2, 3, 4, 3] : [2, 3]
    for (const at of points) {
      becomesDue()
      expect((await world.start({}, dyingAt(at)).exited).signal).toBe('SIGKILL')
      await closed()
      seen.push(wish())
    }
    const expected = [{ tries: 1 }, { tries: 2 }, { tries: 3 }, { phase: 'none', tries: 3 }]
    expect(seen).toMatchObject(expected.slice(0, points.length))
  }, 90_000)

  it('is not begun by a host without a place, and is by the same host once it has one', async () => {
    await hostDies()
    await closed()
    const host = await world.open({ waits: true })
    expect(host.state.status).toMatchObject({ status: 'resumable', resumes: { attempt: 1 } })
    await host.client.place(true)
    await host.status('idle')
    expect(wish()).toEqual({ phase: 'none', tries: 1 })
    expect(existsSync(world.files.resumes)).toBe(false)
    expect(world.of('session_started').map(({ resumed }) => resumed)).toEqual([false, true])
  })

  variation('waits while its host makes way for another, and is over where the host is to end', async () => {
    await hostDies()
    await closed()
    const first = await world.open({ waits: true })
    await first.client.stop('makes_way')
    await first.gone()
    expect(wish()).toMatchObject({ phase: 'waits', tries: 1 })
    const second = await world.open({ waits: true })
    await second.client.stop('shutdown')
    await second.gone()
    expect(wish()).toEqual({ phase: 'stopped', tries: 1 })
  })
})
