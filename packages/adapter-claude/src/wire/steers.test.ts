import { CodedError } from '@roundhouse/backend-types'
import { beforeEach, expect, it } from 'vitest'
import { Steers } from './steers'

let steers: Steers
let begun: number
let order: string[]
beforeEach(() => {
  steers = new Steers()
  begun = 0
  order = []
})

const sent = (uuid: string) => steers.sent(uuid, () => order.push(`begins ${uuid}`))

const heard = (state: string, uuid = 'a') =>
  steers.heard({ type: 'command_lifecycle', command_uuid: uuid, state }, () => {
    begun += 1
    order.push('turn')
  })

it('of a version that says nothing of its prompts nothing is awaited', () => {
  steers.heard({ type: 'result' }, () => {})
  expect(steers.areTold).toBe(false)
  heard('queued', 'another')
  expect(steers.areTold).toBe(true)
})

it('a prompt is taken when the program begins with it, and not when it is read', async () => {
  const taken = sent('a')
  heard('queued')
  expect([steers.untaken, begun]).toEqual([['a'], 0])
  heard('started')
  heard('completed')
  expect([await taken, steers.untaken, begun]).toEqual([true, [], 1])
})

it('[CMD-5.27] a prompt begins before the next frame is read, in the turn that begins with it', async () => {
  const taken = sent('a').then(() => order.push('taken'))
  heard('started')
  order.push('answer')
  heard('completed')
  await taken
  expect(order).toEqual(['turn', 'begins a', 'answer', 'taken'])
})

it('one that was taken back is not taken, and another one waits on', async () => {
  const [back, on] = [sent('a'), sent('b')]
  heard('cancelled')
  heard('started', 'nobody')
  expect([await back, steers.untaken, begun]).toEqual([false, ['b'], 0])
  heard('started', 'b')
  expect([await on, order]).toEqual([true, ['turn', 'begins b']])
})

it('of one whose program is gone nobody knows', async () => {
  const taken = sent('a')
  steers.rejectAll(new CodedError('BACKEND_CRASHED'))
  await expect(taken).rejects.toMatchObject({ code: 'BACKEND_CRASHED' })
  expect(steers.untaken).toEqual([])
})
