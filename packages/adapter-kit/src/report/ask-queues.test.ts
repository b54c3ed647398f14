import { expect, it } from 'vitest'
import { AskQueues } from './ask-queues'

const ask = (id: number, callId: string) => ({ id, request: { callId } })
const [first, second, other] = [ask(1, 'a'), ask(2, 'a'), ask(3, 'b')]

function asked() {
  const queues = new AskQueues<typeof first>()
  return { queues, shown: [first, second, other].map((one) => queues.add(one)) }
}

it('one request of a call is shown at a time, and the next follows it', () => {
  const { queues, shown } = asked()
  expect(shown).toEqual([true, false, true])
  expect(queues.shown('a')).toBe(first)
  expect(queues.remove(({ id }) => id === 1)).toEqual({ ask: first, wasShown: true, next: second })
  expect(queues.shown('a')).toBe(second)
  expect(queues.remove(({ id }) => id === 2)).toEqual({ ask: second, wasShown: true, next: undefined })
  expect([queues.isAsked('a'), queues.isAsked('b')]).toEqual([false, true])
})

it('one that was not shown goes without another one being shown', () => {
  const { queues } = asked()
  expect(queues.remove(({ id }) => id === 2)).toEqual({ ask: second, wasShown: false, next: undefined })
  expect(queues.remove(({ id }) => id === 2)).toBeUndefined()
  expect(queues.shown('a')).toBe(first)
})

it('calls are removed with all their requests', () => {
  const { queues } = asked()
  expect(queues.removeCalls(({ request }) => request.callId === 'a')).toEqual([[first, second]])
  expect([queues.isAsked('a'), queues.isAsked('b')]).toEqual([false, true])
})
