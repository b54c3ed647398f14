/** Every store: what is stored when, and sessions with their events. */

import { emptyProjection } from '@roundhouse/delivery'
import { describe, expect, it } from 'vitest'
import { envelope } from '../testing/fake-agent'
import { text } from '../testing/scenario'
import { type StoreContext, sessionRow } from '../testing/store-context'
import { commandRow, requestRow } from '../testing/store-rows'
import { appended, inserted } from '../testing/stream-steps'

const ids = (rows: ReadonlyArray<{ sessionId: string }>) => rows.map(({ sessionId }) => sessionId)
const all = { maxEvents: 1_000, maxBytes: 1e9 }

export function sessionsSuite(context: StoreContext): void {
  it('knows itself again when it is opened anew, and counts its starts', async () => {
    const { hub } = context.store
    await context.reopen()
    expect(context.store.hub).toEqual({ ...hub, starts: hub.starts + 1 })
  })

  describe('steps of the event stream', () => {
    it('[ACK-2] are stored when their promise resolves, and a step sees what those of its moment wrote before', async () => {
      await context.addSession('s_1')
      const row = { ...sessionRow('s_2'), committed: 1 }
      const written = context.change(inserted(row), appended('s_2', 1, 1, 'hello'))
      const sessions = ['s_2', 's_3'].map((sessionId) => ({ sessionId, madeBy: 'box' }))
      const seen = await context.decide({ sessions, hashes: [{ sessionId: 's_2', seqs: [1, 2] }] }, (set) => [
        set.sessions.find('s_2'),
        set.events.hashAt('s_2', 1),
        set.sessions.madeBefore('s_3'),
      ])
      expect(seen).toEqual([row, envelope(text('hello'), 1).hash, 2])
      await written
      await context.reopen()
      expect(ids((await context.reads.sessions.list({ limit: 5 })).rows)).toEqual(['s_2', 's_1'])
    })

    it('that throw leave nothing, and cost no other step of their moment its place', async () => {
      const bad = (sessionId: string) =>
        context.decide({ sessions: [{ sessionId }] }, (set) => {
          set.sessions.insert(sessionRow(sessionId))
          throw new Error(sessionId)
        })
      const jobs = Array.from({ length: 20 }, (_, n) => (n % 7 === 3 ? bad(`s_${n}`) : context.addSession(`s_${n}`)))
      const ends = await Promise.allSettled(jobs)
      const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason.message] : []))
      expect(refused).toEqual(['s_3', 's_10', 's_17'])
      expect(await context.reads.sessions.findMany(refused)).toEqual([])
      expect((await context.reads.sessions.list({ limit: 50 })).rows).toHaveLength(17)
    })

    it('[STORE-6] refuse a number that is taken, whatever the row says', async () => {
      await context.addSession('s_1')
      await context.addEvents('s_1', 1, 3)
      await expect(context.addEvents('s_1', 3, 1)).rejects.toMatchObject({ code: 'STORAGE_DAMAGED' })
      await expect(context.addEvents('s_1', 3, 70)).rejects.toMatchObject({ code: 'STORAGE_DAMAGED' })
    })
  })

  it('a transaction that throws leaves nothing', async () => {
    const failing = context.write(async (tx) => {
      await tx.sessions.insert(sessionRow('s_1'))
      throw new Error('a bug')
    })
    await expect(failing).rejects.toThrow('a bug')
    expect(await context.reads.sessions.find('s_1')).toBeUndefined()
  })

  it('[CMD-1] an answer is kept under its key until it is forgotten', async () => {
    const kept = { scope: 'ana', key: 'k', bodyHash: 'b', answer: { made: 'c_1' } }
    await context.write((tx) => tx.answers.keep({ ...kept, createdAt: 5 }))
    expect(await context.write((tx) => tx.answers.find('ana', 'k'))).toEqual({ bodyHash: 'b', answer: { made: 'c_1' } })
    await context.write((tx) => tx.answers.forgetBefore(6))
    expect(await context.write((tx) => tx.answers.find('ana', 'k'))).toBeNull()
  })

  describe('sessions', () => {
    it('come back as they were stored, in a list without their long texts', async () => {
      const row = await context.addSession('s_1', {
        title: 'a title',
        settings: { model: 'small' },
        turnFailed: true,
        cost: 1.5,
      })
      expect(await context.reads.sessions.find('s_1')).toEqual(row)
      expect(await context.write((tx) => tx.sessions.find('s_1'))).toEqual(row)
      expect(await context.reads.sessions.findMany(['s_1', 'nobody'])).toEqual([row])
      expect(await context.reads.sessions.list({ limit: 5 })).toEqual({
        rows: [{ ...row, projection: emptyProjection(), settings: {} }],
        next: null,
      })
      expect(await context.reads.sessions.listed(['s_1'])).toEqual([
        { ...row, projection: emptyProjection(), settings: {} },
      ])
      const heads = await context.reads.sessions.heads(['s_1'])
      expect(heads).toEqual(new Map([['s_1', { agentId: 'box', committed: 0 }]]))
    })

    it('[RUN-7.5] are listed as runs alone, and those that have not ended are known at once', async () => {
      const ended = { status: 'ended', why: 'stopped' } as const
      await context.addSession('s_1', { onPermission: 'deny' })
      await context.addSession('s_2')
      await context.addSession('s_3', { onPermission: 'wait', status: ended })
      const { sessions } = context.reads
      expect(ids((await sessions.list({ limit: 5, runs: true })).rows)).toEqual(['s_3', 's_1'])
      expect(ids((await sessions.list({ limit: 5, runs: false })).rows)).toEqual(['s_2'])
      expect(ids((await sessions.list({ limit: 5 })).rows)).toEqual(['s_3', 's_2', 's_1'])
      expect(await sessions.find('s_1')).toMatchObject({ onPermission: 'deny' })
      expect(await sessions.openRuns()).toEqual(['s_1'])
    })

    it('are listed by their last change and their place, from a place in that order on', async () => {
      for (const [sessionId, updatedAt] of Object.entries({ s_1: 3, s_2: 1, s_3: 3 }))
        await context.addSession(sessionId, { updatedAt })
      const { sessions } = context.reads
      const first = await sessions.list({ limit: 2 })
      const second = await sessions.list({ limit: 2, cursor: first.next ?? '' })
      expect([ids(first.rows), ids(second.rows), second.next]).toEqual([['s_3', 's_1'], ['s_2'], null])
      expect((await sessions.list({ limit: 3 })).next).toBeNull()
      await expect(sessions.list({ limit: 2, cursor: 'x' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    })

    it('are found by machine, backend, status, archive and words, in which no sign is a wildcard', async () => {
      const idle = { status: 'idle' } as const
      await context.addSession('s_1', { agentId: 'a', title: '100% done', status: idle })
      await context.addSession('s_2', { agentId: 'b', lastLine: '1000 done', backend: 'x', archived: true })
      const found = async (filter: object) => ids((await context.reads.sessions.list({ limit: 5, ...filter })).rows)
      expect(await found({ agentId: 'a' })).toEqual(['s_1'])
      expect(await found({ agentIds: new Set(['b', 'c']) })).toEqual(['s_2'])
      expect(await found({ agentIds: new Set() })).toEqual([])
      expect(await found({ backend: 'x' })).toEqual(['s_2'])
      expect(await found({ archived: false })).toEqual(['s_1'])
      expect(await found({ text: '0% D' })).toEqual(['s_1'])
      expect(await found({ status: 'idle' })).toEqual(['s_1'])
      const shownAs = new Map([['s_1', 'running']])
      expect(await found({ status: 'running', shownAs })).toEqual(['s_1'])
      expect(await found({ status: 'idle', shownAs })).toEqual([])
      const endedOn = new Set(['a'])
      expect(await found({ status: 'running', shownAs, endedOn })).toEqual([])
      expect(await found({ status: 'idle', endedOn })).toEqual([])
      expect(await found({ status: 'ended', endedOn })).toEqual(['s_1'])
    })

    it('[VIEW-7] are read together for several machines, in the order of their names, the latest few of each', async () => {
      for (const agentId of ['a', 'b', 'c'])
        for (const updatedAt of [1, 2, 3]) await context.addSession(`${agentId}${updatedAt}`, { agentId, updatedAt })
      await context.addSession('b4', { agentId: 'b', updatedAt: 4, archived: true })
      expect(ids(await context.reads.sessions.latestOfMachines(['b', 'a'], 2))).toEqual(['b3', 'b2', 'a3', 'a2'])
      expect((await context.reads.sessions.idsOfMachine('b')).sort()).toEqual(['b1', 'b2', 'b3', 'b4'])
    })

    it('count as active while they do not rest', async () => {
      const status = { status: 'running' } as const
      await context.addSession('s_1', { status })
      await context.addSession('s_2', { status, agentId: 'other' })
      await context.addSession('s_3')
      expect(await context.reads.sessions.activeByMachine()).toEqual(
        new Map([
          ['box', 1],
          ['other', 1],
        ]),
      )
      expect(await context.reads.sessions.activeByMachine('box')).toEqual(new Map([['box', 1]]))
    })

    it('number their commands upwards, and take a new name', async () => {
      await context.addSession('s_1')
      const taken = await context.write(async (tx) => [
        await tx.sessions.takeCmdSeq('s_1'),
        await tx.sessions.takeCmdSeq('s_1'),
      ])
      await context.write((tx) => tx.sessions.organise('s_1', { title: 'new', archived: true }))
      const row = await context.reads.sessions.find('s_1')
      expect([(taken[1] ?? 0) - (taken[0] ?? 0), row?.title, row?.archived]).toEqual([1, 'new', true])
    })

    it('[SES-3] that are deleted are gone at once, and their transcript in steps, also after a restart in between', async () => {
      await context.addSession('s_1')
      await context.addSession('s_2')
      await context.addEvents('s_1', 1, 900)
      await context.addEvents('s_2', 1, 5)
      const row = requestRow('r_1', { sessionId: 's_1', agentId: 'box' })
      await context.change({ op: 'request.insert', row })
      await context.write((tx) => tx.commands.insert(commandRow('c_1', { sessionId: 's_1', agentId: 'box' })))
      const tombstone = { sessionId: 's_1', agentId: 'box', deletedAt: 1, deletedBy: 'ana' }
      await context.write((tx) => tx.sessions.delete(tombstone))
      const { sessions, requests, commands } = context.reads
      expect([await sessions.find('s_1'), await sessions.isDeleted('s_1')]).toEqual([undefined, true])
      expect([await requests.find('r_1'), await commands.find('c_1')]).toEqual([undefined, undefined])
      await context.reopen()
      expect(await context.store.eraser.undone()).toEqual(['s_1'])
      while (await context.store.eraser.eraseSome('s_1')) {}
      expect(await context.store.eraser.undone()).toEqual([])
      expect(await context.reads.events.after('s_2', 0, all)).toHaveLength(5)
    })
  })

  describe('events', () => {
    it('are read upwards and downwards, and measured no further than asked', async () => {
      await context.addSession('s_1')
      await context.addEvents('s_1', 1, 10)
      await context.change({ op: 'session.update', sessionId: 's_1', change: { ...sessionRow('s_1'), committed: 10 } })
      const { events } = context.reads
      const seqs = (page: ReadonlyArray<{ seq: number }>) => page.map(({ seq }) => seq)
      expect(seqs(await events.after('s_1', 7, all))).toEqual([8, 9, 10])
      expect(seqs(await events.before('s_1', 4, { maxEvents: 2, maxBytes: 1e9 }))).toEqual([2, 3])
      expect((await events.measureAfter('s_1', 2, { maxEvents: 3, maxBytes: 1e9 })).events).toBe(4)
      expect(await context.reads.sessions.isHeadWhole('s_1')).toBe(true)
    })

    it('a page keeps to its bytes, and always holds at least one event', async () => {
      await context.addSession('s_1')
      await context.addEvents('s_1', 1, 10, 'x'.repeat(1_000))
      const page = async (maxBytes: number) =>
        (await context.reads.events.after('s_1', 0, { maxEvents: 10, maxBytes })).map((e) => e.seq)
      expect([await page(3_200), await page(10)]).toEqual([[1, 2, 3], [1]])
    })
  })
}
