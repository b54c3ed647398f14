// How often a page, or a step of one, asks the file: as often for many sessions, questions and machines as for few. And a batch of
// events: as often for many events as for one.
import type { SessionEvent } from '@roundhouse/backend-types'
import { afterEach, describe, expect, it } from 'vitest'
import { newSessionRow } from '../../core/ingest/session-row'
import { envelope } from '../../testing/fake-agent'
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
    const row = requestRow(`r_${agentId}`, { sessionId: idOf('waiting'), agentId })
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
      heads: await count(() => core.viewerReads.heads(items.map(({ sessionId }) => sessionId))),
    }
    await hub?.stop()
    hub = undefined
    return found
  }

  it('are as many for nine machines at work as for two', async () => {
    const few = await counted(2)
    expect(await counted(9)).toEqual(few)
    // With the beginning and the end of a read transaction, where a page has one.
    expect(few).toEqual({
      inbox: 13,
      sessions: 8,
      machines: 2,
      tokens: 1,
      people: 1,
      session: 10,
      snapshot: 14,
      heads: 1,
    })
  })

  /** Deeds that people gave, each with a command of its own, and edits of what they wrote. */
  async function countedEvents(deeds: number): Promise<number> {
    const count = await hubWith(1)
    const { core, store } = hub as TestHub
    const { items } = await core.sessions.list(ana, { limit: 100 })
    const { sessionId = '', agentId = '' } = items.find(({ title }) => title === 'unborn') ?? {}
    const said: SessionEvent[] = []
    for (let n = 1; n <= deeds; n += 1) {
      const promptId = `p_${n}`
      const prompt = { kind: 'prompt.send', promptId, text: `words ${n}` } as const
      const row = commandRow(`given_${n}`, { sessionId, agentId }, { promptId, kind: prompt.kind, body: prompt })
      await store.transactions.write((tx) => tx.commands.insert(row))
      said.push({ kind: 'user_message', promptId, commandId: row.commandId, text: prompt.text, turnId: 't' } as never)
    }
    const events = said.map((event, i) => ({ ...envelope(event, i + 1), storedAt: 1 }))
    let named = 0
    const statements = await count(async () => {
      const told = await core.viewerReads.withAuthors(sessionId, events)
      named = told.filter(({ doneBy }) => doneBy).length
    })
    expect(named).toBe(deeds)
    await hub?.stop()
    hub = undefined
    return statements
  }

  it('[VIEW-8] are as many for a page of twenty deeds as for one of two', async () => {
    expect([await countedEvents(2), await countedEvents(20)]).toEqual([2, 2])
  })

  async function countedReports(sessions: number): Promise<number> {
    const count = await hubWith(1)
    const on = hub as TestHub
    const agent = await on.connectedAgent('reporting')
    for (let n = 0; n < sessions; n += 1) await liveSession(on, agent)
    const reports = (await on.core.sessions.list(ana, { limit: 100, agentId: agent.agentId })).items
    const page = reports.map(({ sessionId }) => agent.report(sessionId))
    const statements = await count(() => agent.reports(page))
    await hub?.stop()
    hub = undefined
    return statements
  }

  it('[LINK-2] are as many for a page of thirty reports as for one of two', async () => {
    const few = await countedReports(2)
    expect(await countedReports(30)).toBe(few)
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
