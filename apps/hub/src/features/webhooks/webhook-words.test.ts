import type { DeliveryState, DeliveryView } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { againWords } from './webhook-words'

it.each<[DeliveryState, string | null]>([
  ['waiting', null],
  ['retrying', 'Try now'],
  ['delivered', 'Send again'],
  ['failed', 'Send again'],
  ['dropped', null],
])('[HOOK-5.2] a delivery that is %s can be sent by a button: %s', (state, words) => {
  expect(againWords({ kind: 'message', state } as DeliveryView)).toBe(words)
  expect(againWords({ kind: 'ping', state } as DeliveryView)).toBeNull()
})
