// What one decision sees of its own changes, and what it may not ask.
import { describe, expect, it } from 'vitest'
import { requestRow } from '../../testing/store-rows'
import type { CommandMark, GivenCommand } from '../ports/command-store'
import { deedKey, editsKey, type Loaded, type LookedUp } from '../ports/stream/stream-writer'
import { deciding, joinKeys, WorkingSet } from './working-set'

const of = { sessionId: 's_1', agentId: 'box' }
const found = <T>(rows: Record<string, T | undefined>): LookedUp<T> =>
  new Map(Object.entries(rows).map(([key, row]) => [key, { row }]))
const missing = (key: string) => new Map([[key, { row: undefined }]])
const open = (count: number, bytes: number) => ({ count, bytes })
const command = (commandId: string, change: Partial<CommandMark> = {}): CommandMark => ({
  commandId,
  sessionId: 's_1',
  kind: 'prompt.send',
  state: 'accepted',
  promptId: 'p',
  ...change,
})
const given = (commandId: string): GivenCommand => ({
  commandId,
  sessionId: 's_1',
  kind: 'prompt.send',
  body: { kind: 'prompt.send', promptId: 'p', text: 'go' },
  authorId: 'ana',
  authorName: 'Ana',
  provenSeq: null,
})
const error = { code: 'SESSION_ENDED', message: '' }

describe('a decision', () => {
  it('cannot look up what was not loaded: that it is not there is another answer', () => {
    const set = new WorkingSet({ requests: missing('r_none') })
    expect(set.requests.find('r_none')).toBeUndefined()
    const looks = [
      () => set.requests.find('r_other'),
      () => set.requests.open('s_1'),
      () => set.sessions.find('s_1'),
      () => set.events.hashAt('s_1', 1),
      () => set.commands.find('c_1'),
      () => set.commands.given('c_1', 'user_message'),
      () => set.commands.promptEdits('s_1', 'p'),
      () => set.commands.unsettledOfSession('s_1'),
      () => set.machines.find('box'),
      () => set.machines.fence('box'),
      () => set.hub.headsGiven(),
      () => set.hub.standing({ kind: 'person', id: 'ana' }),
    ]
    for (const look of looks) expect(look).toThrow(expect.objectContaining({ code: 'INTERNAL' }))
  })

  it('[STORE-6] hears of a row that is damaged when it looks it up, and not before', () => {
    const requests = new Map([['r_1', { row: undefined, damaged: true as const }]])
    const set = new WorkingSet({ requests, fences: missing('box') })
    expect(set.machines.fence('box')).toBeUndefined()
    expect(() => set.requests.find('r_1')).toThrow(expect.objectContaining({ code: 'STORAGE_DAMAGED' }))
  })

  it('that needs more says so, and changes nothing', () => {
    const decide = deciding((set) => {
      const more = set.requests.notLoaded(['r_1', 'r_2'])
      return more.length > 0 ? { more: { requests: more } } : set.requests.close('r_2', 'withdrawn', 3)
    })
    const rows = { r_1: requestRow('r_1', of), r_2: requestRow('r_2', of) }
    expect(decide({ requests: found({ r_1: rows.r_1 }) } as unknown as Loaded)).toEqual({ more: { requests: ['r_2'] } })
    const close = { op: 'request.close', requestId: 'r_2', outcome: 'withdrawn', resolvedSeq: 3 }
    expect(decide({ requests: found(rows) } as unknown as Loaded)).toMatchObject({ change: [close] })
  })

  it('shares what several of its moment look up', () => {
    const joined = joinKeys([{ machines: ['a'] }, { machines: ['b'], headsGiven: true }, { headsGiven: false }])
    expect(joined).toEqual({ machines: ['a', 'b'], headsGiven: true })
  })
})

describe('a permission request in a decision', () => {
  const { ask } = requestRow('r_1', of)
  const bytes = JSON.stringify(ask).length
  const loaded = (): Partial<Loaded> => ({
    requests: found({
      r_1: undefined,
      r_2: requestRow('r_2', of),
      r_3: requestRow('r_3', { ...of, sessionId: 's_2' }),
    }),
    openRequests: new Map([['s_1', { ofMachine: open(5, 900), ofSession: open(2, 2 * bytes) }]]),
  })

  it('is open once it was asked and closed once it was resolved, as the counts say', () => {
    const { requests } = new WorkingSet(loaded())
    requests.insert(requestRow('r_1', of))
    expect(requests.find('r_1')?.outcome).toBe('open')
    const more = { ofMachine: open(6, 900 + bytes), ofSession: open(3, 3 * bytes) }
    expect(requests.open('s_1')).toEqual(more)
    requests.insert(requestRow('r_1', of, { digest: 'another' }))
    requests.close('r_1', 'applied', 4)
    expect(requests.find('r_1')).toMatchObject({ outcome: 'applied', resolvedSeq: 4, digest: 'd' })
    expect(requests.open('s_1')).toEqual(loaded().openRequests?.get('s_1'))
  })

  it('is closed with all that are open in its session, also with those that nobody loaded', () => {
    const set = new WorkingSet(loaded())
    set.requests.closeAllOpen('s_1', 'orphaned', 9)
    expect(['r_2', 'r_3'].map((requestId) => set.requests.find(requestId)?.outcome)).toEqual(['orphaned', 'open'])
    expect(set.requests.open('s_1')).toEqual({ ofMachine: open(3, 900 - 2 * bytes), ofSession: open(0, 0) })
    set.requests.reopen('r_2', ask)
    expect(set.requests.find('r_2')).toMatchObject({ outcome: 'open', resolvedSeq: null })
    expect(set.requests.open('s_1').ofSession).toEqual(open(1, bytes))
    expect(set.change.map(({ op }) => op)).toEqual(['requests.closeAllOpen', 'request.reopen'])
  })

  it('[PERM-1] loses its decision once, and only the one that was looked for', () => {
    const decided = requestRow('r_1', of, { decision: 'allow', commandId: 'c_1' })
    const { requests } = new WorkingSet({ requests: found({ r_1: decided }) })
    const emptied = ['c_2', 'c_1', 'c_1'].map((commandId) => requests.emptyDecision('r_1', commandId))
    expect([emptied, requests.find('r_1')?.decision]).toEqual([[false, true, false], null])
  })
})

describe('a command in a decision', () => {
  const loaded = (): Partial<Loaded> => ({
    commands: found({ c_1: command('c_1'), c_2: command('c_2', { kind: 'turn.interrupt', state: 'pending' }) }),
    unsettled: found({ s_1: [command('c_1'), command('c_3', { kind: 'session.stop', state: 'sent' })] }),
    given: found({ [deedKey('c_1', 'user_message')]: given('c_1') }),
    promptEdits: found({ [editsKey('s_1', 'p')]: [given('c_1'), given('c_4')] }),
  })

  it('[CMD-2] moves once', () => {
    const { commands } = new WorkingSet(loaded())
    const moved = [1, 2].map(() => commands.move('c_2', 'pending', 'sent'))
    expect([moved, commands.find('c_2')?.state]).toEqual([[true, false], 'sent'])
  })

  it('[CMD-5] that waits for its turn is refused with its session, and is not unsettled any more', () => {
    const { commands } = new WorkingSet(loaded())
    commands.refuseWaitingPrompts('s_1', error)
    expect(commands.find('c_1')?.state).toBe('refused')
    expect(commands.unsettledOfSession('s_1').map(({ commandId }) => commandId)).toEqual(['c_3'])
  })

  it('[VIEW-8] bears out one event of a kind, the first', () => {
    const { commands } = new WorkingSet(loaded())
    for (const seq of [7, 8]) commands.setProven('c_1', 'user_message', seq)
    expect(commands.given('c_1', 'user_message')?.provenSeq).toBe(7)
    expect(commands.promptEdits('s_1', 'p').map(({ provenSeq }) => provenSeq)).toEqual([7, null])
  })
})
