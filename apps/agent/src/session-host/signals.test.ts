import { expect, it } from 'vitest'
import { type Signal, Signals } from './signals'

it('a signal is heard in the same step, and one that was said too early is heard first', () => {
  const signals = new Signals()
  const heard: Array<Signal['type']> = []
  signals.say({ type: 'replaced', procId: 'p1' })
  signals.changed()
  expect(heard).toEqual([])
  signals.listen(({ type }) => heard.push(type))
  expect(heard).toEqual(['replaced', 'changed'])
  signals.say({ type: 'turn_over' })
  expect(heard).toEqual(['replaced', 'changed', 'turn_over'])
})
