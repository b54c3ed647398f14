import { CodedError, type SessionStatus, type SessionView, type Snapshot } from '@roundhouse/backend-types'
import type { HubClient } from '@roundhouse/hub-client'
import { describe, expect, it } from 'vitest'
import { answerIn, refusalOfMachine } from './machine-answer'

const error = { code: 'PATH_NOT_ALLOWED', message: 'There is no such folder on this machine.' }
const refused: SessionStatus = { status: 'ended', why: 'failed', error }
const view = (change: Partial<SessionView>) =>
  ({
    sessionId: 's1',
    rev: 1,
    head: 0,
    status: { status: 'waiting_for_agent' },
    commands: [],
    ...change,
  }) as SessionView
const create = (change: object) => ({ commands: [{ kind: 'session.create', ...change }] }) as Partial<SessionView>

describe('what a machine says to a new session', () => {
  it.each([
    ['nothing yet', create({ state: 'pending' }), { kind: 'waits' }],
    ['nothing yet', create({ state: 'sent' }), { kind: 'waits' }],
    ['that it has no place now', create({ state: 'sent', waits: { running: 4, limit: 4 } }), { kind: 'taken' }],
    ['that it has taken it', create({ state: 'accepted' }), { kind: 'taken' }],
    ['so much that all is done', {}, { kind: 'taken' }],
    ['why it refuses', { ...create({ state: 'refused' }), status: refused }, { kind: 'refused', error }],
    ['more later: a session that began has a page', { head: 4, status: refused }, { kind: 'taken' }],
  ])('%s', (_what, change, answer) => {
    expect(answerIn(view(change as Partial<SessionView>))).toEqual(answer)
  })

  /** A hub that never says more than its snapshot. */
  function hub(session: SessionView, mayDelete = true) {
    const deleted: string[] = []
    const rest = {
      snapshot: async () =>
        ({ session, head: 0, hubEpoch: 'e', events: [], more: false, openBlocks: [] }) as unknown as Snapshot,
      deleteSession: async (sessionId: string) => {
        if (!mayDelete) throw new CodedError('FORBIDDEN')
        deleted.push(sessionId)
      },
    }
    const socket = { on: () => () => {}, onState: () => () => {}, ask: () => new Promise(() => {}) }
    return { deleted, client: { rest, socket } as unknown as Pick<HubClient, 'rest' | 'socket'> }
  }

  it('is asked for a moment: a refused session is deleted, and its reason comes back', async () => {
    const { deleted, client } = hub(view({ status: refused }))
    expect(await refusalOfMachine('s1', client)).toEqual(error)
    expect(deleted).toEqual(['s1'])
    expect(await refusalOfMachine('s1', hub(view({ status: refused }), false).client)).toEqual(error)
  })

  it('may come later: then the session has its page', async () => {
    const { deleted, client } = hub(view(create({ state: 'sent' })))
    expect(await refusalOfMachine('s1', client, 1)).toBeUndefined()
    expect(deleted).toEqual([])
  })
})
