/** Decisions that machines carried out, held against the audit log (T51). */
import type { CommandBody } from '@roundhouse/backend-types'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeAgent } from '../testing/fake-agent'
import { liveHub, requested, resolved } from '../testing/scenario'
import { commandRow } from '../testing/store-rows'
import { ana, type TestHub } from '../testing/test-hub'

describe('[T51] a decision that a machine carried out', () => {
  let hub: TestHub
  let agent: FakeAgent
  let sessionId: string
  beforeEach(async () => {
    ;({ hub, agent, sessionId } = await liveHub())
  })
  afterEach(() => hub.stop())

  const applied = (requestId: string, commandId: string) =>
    agent.emit(
      sessionId,
      resolved(requestId, 'applied', { decision: 'allow', by: { userId: ana.userId, name: ana.name }, commandId }),
    )
  const unrecorded = () => hub.store.prisma.audit.findMany({ where: { action: 'permission.unrecorded' } })
  /** The follower has taken all that is stored. */
  const followed = async () => {
    await expect
      .poll(async () => {
        await hub.core.tick()
        return (await hub.store.appends.cursor('carried-out-decisions')).position
      })
      .toBe(await hub.store.appends.newest())
  }

  it('by a person who is on record is no news', async () => {
    await agent.emit(sessionId, requested('r1'))
    await hub.core.permissions.decide(ana, 'r1', { decision: 'allow', digest: 'digest-r1' }, hub.key())
    await agent.waiter.until(() => agent.commands.length > 0)
    await applied('r1', agent.commands[0]?.commandId ?? '')
    await followed()
    expect(await unrecorded()).toEqual([])
  })

  it('by a command that somebody wrote into the file is told to the audit log and to the hub’s own, once', async () => {
    await agent.emit(sessionId, requested('r1'))
    const body = { kind: 'permission.decide', requestId: 'r1', procId: 'p1', decision: 'allow', digest: 'digest-r1' }
    const of = { sessionId, agentId: agent.agentId }
    const change = {
      kind: 'permission.decide',
      requestId: 'r1',
      authorId: ana.userId,
      body: body as CommandBody,
    } as const
    await hub.store.transactions.write((tx) =>
      tx.commands.insert(commandRow('c_forged', of, { ...change, state: 'sent' })),
    )
    await applied('r1', 'c_forged')
    await followed()
    await hub.core.tick()
    expect(await unrecorded()).toMatchObject([{ actorId: 'hub', object: 'r1', outcome: 'refused' }])
    expect(JSON.parse((await unrecorded())[0]?.detail ?? '')).toMatchObject({ commandId: 'c_forged', sessionId })
    expect(hub.warnings.filter(({ commandId }) => commandId === 'c_forged')).toHaveLength(1)
  })

  it('that the machine alone tells of is another finding’s affair', async () => {
    await agent.emit(sessionId, requested('r1'))
    await applied('r1', 'c_of_nobody')
    await followed()
    expect(await unrecorded()).toEqual([])
  })
})
