import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DiskWatch } from './disk-watch'

const failure = (code: string) => Object.assign(new Error(code), { code })

/** A disk that refuses with this code until it is null. */
function world() {
  const disk = { refuses: null as string | null, free: 1e9 as number | null }
  const told: Array<string | null> = []
  const said: string[] = []
  const write = () => {
    if (disk.refuses) throw failure(disk.refuses)
  }
  const watch = new DiskWatch({
    probe: write,
    free: () => disk.free,
    changed: (trouble) => void told.push(trouble),
    log: (line) => void said.push(line),
  })
  return { disk, told, said, watch, write }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('[FLOW-4.7] what is refused is told once, waits, and is written in its latest form when the disk takes it', () => {
  const { disk, told, said, watch, write } = world()
  const written: string[] = []
  const put = (text: string) => () => {
    write()
    written.push(text)
  }
  disk.refuses = 'SQLITE_FULL'
  watch.write('the index', put('one'))
  watch.write('the index', put('two'))
  watch.write('the chain', put('three'))
  expect(watch.mayBeWhy()).toBe('full')
  vi.advanceTimersByTime(5_000)
  expect(written).toEqual([])
  disk.refuses = null
  vi.advanceTimersByTime(1_000)
  expect(written).toEqual(['two', 'three'])
  expect(told).toEqual(['full', null])
  expect(said).toHaveLength(2)
  expect(watch.account()).toEqual({})
})

it('[FLOW-4.1] a disk without room is noticed by whoever looks, and one that is only nearly full is not called full', () => {
  const { disk, told, watch } = world()
  disk.free = 1_000
  watch.look()
  expect(told).toEqual([])
  disk.refuses = 'ENOSPC'
  watch.look()
  expect(watch.account()).toEqual({ disk: 'full' })
})

it('[FLOW-4.9] it is not called in order before all that waited is written', () => {
  const { disk, told, watch } = world()
  let refuses = true
  watch.write('the chain', () => {
    if (refuses) throw failure('EIO')
  })
  vi.advanceTimersByTime(3_000)
  expect(told).toEqual(['failing'])
  refuses = false
  vi.advanceTimersByTime(1_000)
  expect(told).toEqual(['failing', null])
  expect(disk.refuses).toBeNull()
})

it('an error of another kind is its own', () => {
  const { told, watch } = world()
  expect(() =>
    watch.write('the index', () => {
      throw failure('SQLITE_CORRUPT')
    }),
  ).toThrow('SQLITE_CORRUPT')
  expect(told).toEqual([])
})
