import type { PeerView, SessionSummary } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { fleetRows } from './fleet-tree'

const session = (sessionId: string, parentId?: string, more: object = {}) =>
  ({
    sessionId,
    title: sessionId,
    status: { status: 'idle' },
    ...(parentId ? { parentId } : {}),
    ...more,
  }) as SessionSummary
const peer = (peerId: string, more: Partial<PeerView> = {}) =>
  ({ peerId, kind: 'token', name: peerId, parentId: null, state: 'here', asks: [], ...more }) as PeerView
const over = { status: { status: 'ended', why: 'stopped' } }

const shown = (sessions: SessionSummary[], peers: PeerView[] = []) =>
  fleetRows(sessions, peers).map(
    ({ id, depth, isRoot, peer }) => `${'-'.repeat(depth)}${id}${isRoot ? ' root' : ''}${peer ? ' speaks' : ''}`,
  )

describe('the rows of the fleet', () => {
  it.each<[string, SessionSummary[], PeerView[], string[]]>([
    ['nobody is there', [], [], []],
    [
      'a child stands below its parent, whatever the order',
      [session('c', 'b'), session('b', 'a'), session('a')],
      [],
      ['a root', '-b', '--c'],
    ],
    [
      'a session that may start others is a root already',
      [session('a', undefined, { spawning: { by: 'x' } })],
      [],
      ['a root'],
    ],
    ['a session and its peer are one row', [session('a')], [peer('a', { kind: 'session' })], ['a speaks']],
    ['a program with a token has a row of its own', [], [peer('p')], ['p speaks']],
    [
      'a person has none, and one that left has none',
      [],
      [peer('u', { kind: 'person' }), peer('p', { state: 'left' })],
      [],
    ],
    [
      'an ended session has a row only above one that is not',
      [session('a', undefined, over), session('b', 'a'), session('c', undefined, over)],
      [],
      ['a root', '-b'],
    ],
    ['a child whose parent is not here stands at the top', [session('b', 'gone')], [], ['b']],
    [
      'a circle that programs claim hides nobody',
      [],
      [peer('p', { parentId: 'q' }), peer('q', { parentId: 'p' })],
      ['p speaks', 'q speaks'],
    ],
  ])('%s', (_, sessions, peers, rows) => {
    expect(shown(sessions, peers)).toEqual(rows)
  })
})
