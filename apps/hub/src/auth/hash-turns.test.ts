import { expect, it } from 'vitest'
import { HashTurns } from './hash-turns'

it('[WEB-2.14] [T2] two passwords are hashed at once, 32 wait in their order, and beyond that the oldest is refused', async () => {
  const turns = new HashTurns()
  const begun: number[] = []
  const ends: Array<() => void> = []
  const tries = Array.from({ length: 36 }, (_, i) =>
    turns
      .run(() => {
        begun.push(i)
        return new Promise<void>((resolve) => ends.push(resolve))
      })
      .then(
        () => 'hashed',
        (error: { status?: string }) => String(error.status),
      ),
  )
  expect(begun).toEqual([0, 1])
  expect(await Promise.all([tries[2], tries[3]])).toEqual(['TOO_MANY_REQUESTS', 'TOO_MANY_REQUESTS'])
  while (ends.length > 0) {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  expect(begun).toEqual([0, 1, ...Array.from({ length: 32 }, (_, i) => i + 4)])
  expect((await Promise.all(tries)).filter((outcome) => outcome === 'hashed').length).toBe(34)
})

it('a hash that fails gives its place back', async () => {
  const turns = new HashTurns()
  for (let i = 0; i < 10; i += 1) await turns.run(() => Promise.reject(new Error('no'))).catch(() => {})
  expect(await turns.run(async () => 'hashed')).toBe('hashed')
})
