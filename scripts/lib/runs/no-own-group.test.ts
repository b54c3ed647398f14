import { expect, it } from 'vitest'

it('a test that found no process sends nothing to its own group', () => {
  for (const pid of [0, -0, -1, 1, Number.NaN]) expect(() => process.kill(pid, 0)).toThrow('no process that it started')
  expect(process.kill(process.pid, 0)).toBe(true)
})
