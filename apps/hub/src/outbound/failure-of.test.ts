import { expect, it } from 'vitest'
import { failureOf } from './failure-of'
import { AddressRefused } from './guarded-connector'

const coded = (code: string) => Object.assign(new Error('x'), { code })

it('a failure is named by the first cause that says something', () => {
  expect(failureOf(new AggregateError([coded('ECONNREFUSED'), coded('ETIMEDOUT')]))).toBe('connect')
  expect(failureOf(new Error('fetch failed', { cause: new AddressRefused() }))).toBe('address')
  expect(failureOf(coded('HPE_INVALID_CONSTANT'))).toBe('closed')
})

it('a fault of the hub does not pass for one of the receiver', () => {
  expect([failureOf(new TypeError('Client is not a constructor')), failureOf('odd')]).toEqual([null, null])
})
