// How often a page, or a step of one, asks the file: as often for many sessions, questions and machines as for few. And a batch of
// events: as often for many events as for one.
import type { SessionEvent } from '@roundhouse/backend-types'
import { afterEach, describe, expect, it } from 'vitest'
import { newSessionRow } from '../../core/ingest/session-row'
import { hostState, liveSession, requested, text, texts } from '../../testing/scenario'
import { commandRow, requestRow } from '../../testing/store-rows'
import { changing, inserted } from '../../testing/stream-steps'
import { ana, TestHub } from '../../testing/test-hub'

describe('the statements of a page', () => {
  let hub: TestHub | undefined
  afterEach(() => hub?.stop())

  /** Machines, each with sessions of which one has no event yet, one waits for a person and one is live. */
  async function hubWith(machines: number): Promise<(work: () => unknown) => Promise<number>> {
    let statements = 0
    const started = await TestHub.start({
      onStatement: () => {
        statements += 1
      },
    })
    hub = started
    for (let n = 0; n < machines; n += 1) await addMachine(started, `box ${n}`)
    return async (work) => {
      statements = 0
      await work()
      return statements
    }
  }

  async function addMachine(on: TestHub, name: string): Promise<void> {
    const { store } = on
    const agent = await on.connectedAgent(name)
    const { agentId } = agent
    const idOf = (what: string) => `s_${what}_${agentId}`
    const rows = ['unborn', 'waiting', 'live'].map((what) => ({
      ...newSessionRow({ sessionId: idOf(what), agentId, now: Date.now(), title: what }),
      committed: what === 'unborn' ? 0 : 1,
    }))
    const row = requestRow(`r_${agentId}`, { sessionPk: 0, sessionId: idOf('waiting'), agentId })
    await store.ingest.change({}, changing(...rows.map(inserted), { op: 'request.insert', row }))
    await store.transactions.write((tx) =>
      tx.commands.insert(commandRow(`c_${agentId}`, { sessionId: idOf('unborn'), agentId }, { state: 'accepted' })),
    )
    await agent.state(hostState(idOf('live'), { atSeq: 1 }))
  }

  async function counted(machines: number): Promise<Record<string, number>> {
    const count = await hubWith(machines)
    const { core } = hub as TestHub
    const { items } = await core.sessions.list(ana, { limit: 100 })
    const inbox = await core.inbox.get(ana)
    expect([items.length, inbox.requests.length]).toEqual([3 * machines, machines])
    const [first] = items
    const found = {
      inbox: await count(() => core.inbox.get(ana)),
      sessions: await count(() => core.sessions.list(ana, { limit: 100 })),
      machines: await count(() => core.agents.list(ana)),
      tokens: await count(() => core.agents.listTokens(ana)),
      people: await count(() => core.people.list(ana)),
      session: await count(() => core.viewerReads.view(first?.sessionId ?? '')),
      snapshot: await count(() => core.sessions.snapshot(ana, first?.sessionId ?? '', 200)),
    }
    await hub?.stop()
    hub = undefined
    return found
  }

  it('are as many for nine machines at work as for two', async () => {
    const few = await counted(2)
    expect(await counted(9)).toEqual(few)
    // With the beginning and the end of a read transaction, where a page has one.
    expect(few).toEqual({ inbox: 11, sessions: 7, machines: 2, tokens: 1, people: 1, session: 9, snapshot: 13 })
  })
})

describe('the statements of a batch of events', () => {
  let hub: TestHub | undefined
  afterEach(() => hub?.stop())

  it('[STORE-2] are as many for 64 events as for one, and one for all requests that they tell of', async () => {
    const written: string[] = []
    // The values stand in the text.
    const started = await TestHub.start({ onWritten: (sql) => written.push(sql.split(/\s+/).slice(0, 3).join(' ')) })
    hub = started
    const agent = await started.connectedAgent()
    const sessionId = await liveSession(started, agent)
    const statementsOf = async (...events: SessionEvent[]) => {
      written.length = 0
      await agent.send(
        sessionId,
        events.flatMap((event) => agent.append(sessionId, event)),
      )
      return [...written]
    }
    const ofOne = await statementsOf(text('one'))
    expect(ofOne).toEqual([
      'BEGIN IMMEDIATE',
      'SELECT agentId, connEpoch,',
      'SELECT pk, sessionId,',
      'INSERT INTO Event',
      'INSERT INTO Append',
      'UPDATE Session SET',
      'COMMIT',
    ])
    expect(await statementsOf(...texts(64))).toEqual(ofOne)
    const asked = await statementsOf(...Array.from({ length: 16 }, (_, index) => requested(`r_${index}`)))
    const counted = (start: string) => asked.filter((sql) => sql.startsWith(start)).length
    expect([counted('SELECT r.requestId'), counted('SELECT count(*)'), counted('INSERT INTO Request')]).toEqual([
      1, 2, 16,
    ])
  })
})
