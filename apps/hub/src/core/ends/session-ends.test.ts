import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { person, program } from '../../testing/bus-program'
import { completes, RunScene, says, turn } from '../../testing/runs/run-scene'
import { SlowReads } from '../../testing/slow-reads'
import { ana, TestHub } from '../../testing/test-hub'

let scene: RunScene
beforeEach(async () => {
  scene = await RunScene.start()
})
afterEach(() => scene.stop())

const ends = async (actor = ana, { core } = scene.hub) => {
  const { items } = await core.bus.page(actor, { after: 0, pattern: 'system.session.ended', limit: 99 })
  return items.map(({ data }) => data)
}
const stopped = { kind: 'session_ended', why: 'stopped' } as const
const crash = { code: 'BACKEND_CRASHED', message: 'It crashed.', retryable: false }
const refuse = (code: string) => {
  const error = { code, message: 'No.', retryable: false }
  scene.agent.answer = () => ({ state: 'refused', error })
}

describe('[BUS-13.5] of a run, the end of its session says what came of it', () => {
  it('completed, failed or stopped, although it is the hub that ends each', async () => {
    const good = await scene.running()
    await scene.agent.emit(good, says('Hello.'), completes, stopped)
    const bad = await scene.running()
    await scene.agent.emit(bad, { kind: 'turn_completed', ...turn, reason: 'failed', error: crash }, stopped)
    const cut = await scene.running()
    await scene.agent.emit(cut, says('Half of i'), stopped)
    await expect
      .poll(() => ends())
      .toEqual([
        { session_id: good, why: 'completed' },
        { session_id: bad, why: 'failed' },
        { session_id: cut, why: 'stopped' },
      ])
  })
})

describe('[BUS-13.6] a session that no machine took', () => {
  it('has ended as failed, once, for whoever reaches its machine', async () => {
    const { agentId } = scene.agent
    await person(scene.hub, 'fay', 'viewer', [agentId])
    await person(scene.hub, 'gus', 'viewer')
    const [near, far] = [await program(scene.hub, 'fay', 'read'), await program(scene.hub, 'gus', 'read')]
    refuse('PATH_NOT_ALLOWED')
    const runId = await scene.runs.create(ana, scene.request({ workDir: '/etc' }), scene.hub.key())
    await scene.followed(runId)
    let rings = 0
    scene.hub.core.doorbells.on('bus', () => {
      rings += 1
    })
    await scene.hub.core.tick()
    await scene.hub.core.tick()
    expect(await ends(near.actor)).toEqual([{ session_id: runId, why: 'failed' }])
    expect([await ends(far.actor), rings]).toEqual([[], 1])
  })

  it('is told by a hub that was away when it was refused, and by no later one again', async () => {
    refuse('BACKEND_UNAVAILABLE')
    const runId = await scene.runs.create(ana, scene.request(), scene.hub.key())
    await scene.followed(runId)
    expect(await ends()).toEqual([])
    for (let i = 0; i < 2; i += 1) {
      const again = await TestHub.start({ file: scene.hub.store.file })
      try {
        await again.core.tick()
        expect(await ends(ana, again)).toEqual([{ session_id: runId, why: 'failed' }])
      } finally {
        await again.crash()
        await again.store.close()
      }
    }
  })

  it('is told also where it waited for its machine before, and not while it waits', async () => {
    const { agentId } = await scene.hub.enrol('away')
    const runId = await scene.runs.create(ana, scene.request({ agentId }), scene.hub.key())
    await scene.hub.core.tick()
    expect(await ends()).toEqual([])
    const { commandId } = await scene.hub.store.prisma.command.findFirstOrThrow({ where: { sessionId: runId } })
    await scene.hub.store.prisma.command.update({ where: { commandId }, data: { state: 'expired' } })
    scene.hub.core.doorbells.ring('session', { sessionId: runId })
    await scene.hub.core.tick()
    expect(await ends()).toEqual([{ session_id: runId, why: 'failed' }])
  })

  it.each(['at first', 'again'])('is told although it is refused just while the hub looks at it %s', async (when) => {
    await scene.stop()
    const slow = new SlowReads()
    scene = await RunScene.start({ slow })
    const { agentId } = await scene.hub.enrol('away')
    const runId = await scene.runs.create(ana, scene.request({ agentId }), scene.hub.key())
    if (when === 'again') {
      await scene.hub.core.tick()
      scene.hub.core.doorbells.ring('session', { sessionId: runId })
    }
    slow.hold('commands.shownOfMany')
    const looked = scene.hub.core.tick()
    await slow.waiting('commands.shownOfMany')
    await scene.hub.store.prisma.command.updateMany({ where: { sessionId: runId }, data: { state: 'expired' } })
    scene.hub.core.doorbells.ring('session', { sessionId: runId })
    slow.letGo('commands.shownOfMany')
    await looked
    await scene.hub.core.tick()
    expect(await ends()).toEqual([{ session_id: runId, why: 'failed' }])
  })
})

it('[BUS-13.7] each session that goes on has ended once its machine is revoked, and none twice', async () => {
  const { agentId } = scene.agent
  const over = await scene.running()
  await scene.agent.emit(over, says('Hello.'), completes, stopped)
  const live = await scene.running()
  refuse('PATH_NOT_ALLOWED')
  const refused = await scene.runs.create(ana, scene.request(), scene.hub.key())
  await scene.followed(refused)
  await scene.hub.core.tick()
  await expect.poll(async () => (await ends()).length).toBe(2)
  await scene.hub.core.agents.revoke(ana, agentId, scene.hub.key())
  await scene.hub.core.tick()
  const all = await ends()
  expect(all.slice(2)).toEqual([{ session_id: live, why: 'agent_revoked' }])
  expect(all.map(({ session_id }) => session_id).sort()).toEqual([over, live, refused].sort())
})
