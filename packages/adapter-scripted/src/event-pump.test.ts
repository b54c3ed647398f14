import { expect, it } from 'vitest'
import { EventPump } from './event-pump'

const text = (value: string) => ({ kind: 'assistant_text' as const, text: value })
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

it('what happened before the handlers is handed out in the order in which it happened', async () => {
  const pump = new EventPump()
  const seen: unknown[] = []
  pump.emit('sessionStarted', { backendSessionId: 'b' })
  pump.emit('output', text('one'))
  pump.on('output', (output) => seen.push(output))
  pump.on('sessionStarted', (info) => seen.push(info))
  expect(seen).toEqual([])
  await nextTurn()
  pump.emit('output', text('two'))
  expect(seen).toEqual([{ backendSessionId: 'b' }, text('one'), text('two')])
})

it('what a handler causes comes after what was already there', async () => {
  const pump = new EventPump()
  const seen: string[] = []
  pump.emit('output', text('one'))
  pump.emit('output', text('two'))
  pump.on('turnStarted', () => seen.push('caused'))
  pump.on('output', (output) => {
    seen.push(output.kind === 'assistant_text' ? output.text : '')
    if (seen.length === 1) pump.emit('turnStarted')
  })
  await nextTurn()
  expect(seen).toEqual(['one', 'two', 'caused'])
})
