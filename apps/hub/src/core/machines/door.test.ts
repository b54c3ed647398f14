import { CodedError } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { Loaded, StreamWriter } from '../ports/stream/stream-writer'
import { Door } from './door'

let now = 1_000_000
const nothing = {} as Loaded
const machines = (count: number) => Array.from({ length: count }, (_, index) => `agt_${index}`)

function makeDoor() {
  const written: number[] = []
  let size = 0
  const ingest = {
    async change(_keys: object, decide: (loaded: Loaded) => { answer: unknown }) {
      size = 0
      const { answer } = decide(nothing)
      written.push(size)
      return answer
    },
  } as StreamWriter
  const step = () => {
    size += 1
    return size
  }
  return { door: new Door(ingest, () => now), written, step }
}

describe('[LINK-4] machines that return at once', () => {
  it('come at once as long as they are few, and each in its turn when they are a crowd', () => {
    const { door } = makeDoor()
    const waits = machines(1_000).map((agentId) => door.waitMs(agentId))
    expect(waits.slice(0, 20)).toEqual(Array(20).fill(0))
    expect(waits.filter((ms) => ms === 0).length).toBeLessThan(100)
    expect(waits.every((ms, index) => ms >= (waits[index - 1] ?? 0))).toBe(true)
    expect(new Set(waits).size).toBeGreaterThan(50)
  })

  it('have one turn each, which stays the same however often they ask, and is theirs when it has come', () => {
    const { door } = makeDoor()
    const waits = machines(300).map((agentId) => door.waitMs(agentId))
    const last = waits.at(-1) ?? 0
    for (let again = 0; again < 1_000; again += 1) door.waitMs('agt_299')
    expect(door.waitMs('agt_299')).toBe(last)
    expect(door.waitMs('agt_late')).toBeLessThan(last + 200)
    now += last
    expect(door.waitMs('agt_299')).toBe(0)
  })

  it('wait for 20 s at most, and a turn that nobody took is given up', () => {
    const { door } = makeDoor()
    for (const agentId of machines(20_000)) expect(door.waitMs(agentId)).toBeLessThanOrEqual(20_100)
    now += 60_000
    expect(door.waitMs('agt_new')).toBe(0)
  })

  it('share commits, whoever is half-way in first', async () => {
    const { door, written, step } = makeDoor()
    const order: string[] = []
    const told = (name: string) => () => {
      order.push(name)
      return step()
    }
    const all = [
      ...Array.from({ length: 10 }, () => door.write({}, told('new'), 'new')),
      ...Array.from({ length: 3 }, () => door.write({}, told('begun'), 'begun')),
    ]
    await Promise.all(all)
    expect(written).toEqual([8, 5])
    expect(order.slice(0, 3)).toEqual(['begun', 'begun', 'begun'])
  })

  it('are not shut out by one that is refused, nor by one that the storage refuses', async () => {
    const { door, step } = makeDoor()
    const refuse = (error: Error) => () => {
      throw error
    }
    const fenced = door.write({}, refuse(new CodedError('FENCED')), 'begun')
    const broken = door.write({}, refuse(new Error('no such row')), 'begun')
    const good = door.write({}, step, 'new')
    await expect(fenced).rejects.toThrow(CodedError)
    await expect(broken).rejects.toThrow('no such row')
    expect(await good).toBeGreaterThan(0)
  })

  it('[AUD-1] write all that their handshake means or nothing of it, where the storage refuses in the middle', async () => {
    let written: string[] = []
    const ingest = {
      async change(_keys: object, decide: (loaded: Loaded) => { answer: unknown }) {
        const before = [...written]
        try {
          return decide(nothing).answer
        } catch (error) {
          written = before
          throw error
        }
      },
    } as StreamWriter
    const door = new Door(ingest, () => now)
    const half = door.write(
      {},
      () => {
        written.push('half')
        throw new CodedError('STORAGE_UNAVAILABLE')
      },
      'begun',
    )
    const whole = door.write({}, () => written.push('whole'), 'begun')
    await expect(half).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    await whole
    expect(written).toEqual(['whole'])
  })

  it('are not kept out by a clock that is set back', () => {
    const { door } = makeDoor()
    for (const agentId of machines(300)) door.waitMs(agentId)
    now -= 3_600_000
    expect(door.waitMs('agt_0')).toBe(0)
    expect(door.waitMs('agt_299')).toBeLessThanOrEqual(20_100)
  })
})
