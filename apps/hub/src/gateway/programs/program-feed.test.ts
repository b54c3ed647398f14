import type { BusMessage } from '@roundhouse/backend-types'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { BusEye, BusLot } from '../../core'
import { ProgramFeed } from './program-feed'

describe('[BUS-7.5] the place of a subscriber in the table', () => {
  let table: number[]
  let reads: number[]
  let sent: number[]
  let most: number
  let duringRead: () => void
  let feed: ProgramFeed
  let errors: unknown[]
  const all: BusEye = ({ offset }) => ({ offset }) as BusMessage
  const nothing: BusEye = () => null

  const rows = async (after: number): Promise<BusLot> => {
    reads.push(after)
    const found = table.filter((offset) => offset > after)
    const lot = found.slice(0, most).map((offset) => ({ offset }))
    duringRead()
    return { rows: lot as BusLot['rows'], next: lot.at(-1)?.offset ?? after, isEnd: found.length < most }
  }
  const socket = {
    connected: true,
    send: ({ messages }: { messages: BusMessage[] }) => void sent.push(...messages.map(({ offset }) => offset)),
    isFull: () => false,
    whenDrained: () => {},
  }

  beforeEach(() => {
    ;[table, reads, sent, most] = [[1, 2, 3], [], [], 1_000]
    duringRead = () => {}
    const lane = { send: async (send: () => void) => send() }
    errors = []
    const onError = (error: unknown) => void errors.push(error)
    feed = new ProgramFeed({ socket, lane, rows, onError })
  })

  it('whoever has read to the end reads again when there is news, and not before', async () => {
    feed.want(all, 0)
    await vi.waitFor(() => expect(sent).toEqual([1, 2, 3]))
    table.push(4)
    feed.wake()
    await vi.waitFor(() => expect(sent).toEqual([1, 2, 3, 4]))
    expect(reads).toEqual([0, 3])
  })

  it('a message that is stored while it reads is read after that', async () => {
    duringRead = () => {
      duringRead = () => {}
      table.push(4)
      feed.wake()
    }
    feed.want(all, 0)
    await vi.waitFor(() => expect(sent).toEqual([1, 2, 3, 4]))
  })

  it('whoever could not read is behind, and reads again at the next look without news; nobody else does', async () => {
    duringRead = () => {
      duringRead = () => {}
      throw new Error('busy')
    }
    feed.want(all, 0)
    await vi.waitFor(() => expect(errors).toHaveLength(1))
    expect(sent).toEqual([])
    feed.catchUp()
    await vi.waitFor(() => expect(sent).toEqual([1, 2, 3]))
    const before = reads.length
    feed.catchUp()
    expect(reads).toHaveLength(before)
  })

  it('whoever is far behind reads on, also past what is not for them', async () => {
    most = 1
    feed.want(nothing, 0)
    await vi.waitFor(() => expect(reads).toEqual([0, 1, 2, 3]))
    feed.want(all, 0)
    await vi.waitFor(() => expect(sent).toEqual([1, 2, 3]))
  })
})
