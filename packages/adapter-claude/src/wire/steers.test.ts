import { CodedError } from '@roundhouse/backend-types'
import { beforeEach, expect, it } from 'vitest'
import { Steers } from './steers'

let steers: Steers
let begun: number
beforeEach(() => {
  steers = new Steers()
  begun = 0
})

const heard = (state: string, uuid = 'a') =>
  steers.heard({ type: 'command_lifecycle', command_uuid: uuid, state }, () => {
    begun += 1
  })

it('of a version that says nothing of its prompts nothing is awaited', () => {
  steers.heard({ type: 'result' }, () => {})
  expect(steers.areTold).toBe(false)
  heard('queued', 'another')
  expect(steers.areTold).toBe(true)
})

it('a prompt is taken when the program begins with it, and not when it is read', async () => {
  const taken = steers.sent('a')
  heard('queued')
  expect([steers.untaken, begun]).toEqual([['a'], 0])
  heard('started')
  heard('completed')
  expect([await taken, steers.untaken, begun]).toEqual([true, [], 1])
})

it('one that was taken back is not taken, and another one waits on', async () => {
  const [back, on] = [steers.sent('a'), steers.sent('b')]
  heard('cancelled')
  heard('started', 'nobody')
  expect([await back, steers.untaken, begun]).toEqual([false, ['b'], 0])
  heard('started', 'b')
  expect(await on).toBe(true)
})

it('of one whose program is gone nobody knows', async () => {
  const taken = steers.sent('a')
  steers.rejectAll(new CodedError('BACKEND_CRASHED'))
  await expect(taken).rejects.toMatchObject({ code: 'BACKEND_CRASHED' })
  expect(steers.untaken).toEqual([])
})
