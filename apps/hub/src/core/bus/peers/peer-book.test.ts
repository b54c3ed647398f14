import { describe, expect, it } from 'vitest'
import { type PeerRow, TASKS_KEPT } from '../../ports/bus-store'
import { PeerBook, SESSIONS_KEPT } from './peer-book'
import { join } from './peer-life'

const peer = (peerId: string, kind: PeerRow['kind'] = 'session') =>
  join({ peerId, kind, role: 'worker', name: peerId, agentId: 'a', userId: null }, 1).peer

function bookOf(stored: PeerRow[]) {
  const asked: string[][] = []
  const store = {
    peers: async () => ({ peers: [], damaged: 0 }),
    tasks: async () => [],
    peersById: async (ids: readonly string[]) => {
      asked.push([...ids])
      return { peers: stored.filter(({ peerId }) => ids.includes(peerId)), damaged: 0 }
    },
  }
  const book = new PeerBook(store, { warn: () => {} })
  return { book, asked }
}

describe('[BUS-8.9] the book of peers', () => {
  it('keeps the sessions that spoke last, and every program', () => {
    const { book } = bookOf([])
    book.put(peer('token', 'token'))
    for (let n = 0; n < SESSIONS_KEPT; n += 1) book.put(peer(`s${n}`))
    book.put(peer('s0'))
    book.put(peer('one more'))
    expect([book.get('s0'), book.get('token')]).toMatchObject([{ peerId: 's0' }, { peerId: 'token' }])
    expect(book.get('s1')).toBeUndefined()
    expect(book.all()).toHaveLength(SESSIONS_KEPT + 1)
  })

  it('asks the store for one that it lacks, once, and never takes an older row for a newer one', async () => {
    const { book, asked } = bookOf([peer('s1'), peer('s2')])
    book.put({ ...peer('s2'), name: 'newer' })
    await book.recall(['s1', 's2', 'nobody'])
    await book.recall(['s1'])
    expect(asked).toEqual([['s1', 'nobody']])
    expect([book.get('s1')?.name, book.get('s2')?.name, book.get('nobody')]).toEqual(['s1', 'newer', undefined])
  })

  it('knows all that one look asked for, also where they are more than it keeps', async () => {
    const { book } = bookOf([peer('old')])
    const many = Array.from({ length: SESSIONS_KEPT }, (_, n) => `s${n}`)
    for (const id of many) book.put(peer(id))
    const find = await book.recall(['old', ...many])
    expect(['old', ...many].filter((id) => find(id)?.peerId !== id)).toEqual([])
    book.put({ ...peer('s0'), name: 'newer' })
    expect(find('s0')?.name).toBe('newer')
    expect(find('nobody')).toBeUndefined()
  })

  it('[BUS-7.9] of one person, keeps the assignments that are newest, and forgets those of a deleted session', () => {
    const { book } = bookOf([])
    const task = (n: number, ownerId = 'cleo') => ({ taskId: `t${n}`, peerId: 's1', ownerId })
    book.tasksGiven([task(0), task(1), task(0, 'dan'), task(1)])
    book.tasksGiven(Array.from({ length: TASKS_KEPT - 1 }, (_, n) => task(n + 2)))
    const owners = (n: number) => [...book.taskOwners('s1', `t${n}`)]
    expect([owners(0), owners(1), owners(2), owners(TASKS_KEPT)]).toEqual([['dan'], ['cleo'], ['cleo'], ['cleo']])
    book.erase('s1')
    expect([owners(0), owners(1)]).toEqual([[], []])
  })
})
