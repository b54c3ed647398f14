import type { CommandBody } from '@roundhouse/backend-types'
import { expect, it } from 'vitest'
import { ShownBodies } from './shown-bodies'

it('[VIEW-9] a long body is read once for all views, as far as they show it, and anew where it is another one', () => {
  const bodies = new ShownBodies()
  let reads = 0
  const read = (body: CommandBody) => () => {
    reads += 1
    return body
  }
  const text = 'x'.repeat(1_000_000)
  const sent = read({ kind: 'prompt.send', promptId: 'p', text })
  for (let n = 0; n < 3; n++) {
    const shown = bodies.of('c1', 1_000_060, sent)
    expect(shown?.textLength).toBe(1_000_000)
    expect(shown?.body).toEqual({ kind: 'prompt.send', promptId: 'p', text: text.slice(0, 131_073) })
  }
  expect(reads).toBe(1)
  expect(bodies.of('c1', 60, read({ kind: 'queue.release' }))).toEqual({ body: { kind: 'queue.release' } })
  expect(bodies.of('c2', 60, () => null)).toBeNull()
  const decision = { kind: 'permission.decide', updatedInput: { content: text } } as CommandBody
  expect(bodies.of('c3', 1_000_060, read(decision))).toEqual({ body: { kind: 'permission.decide' } })
})

it('[VIEW-9] as many are kept as two sessions show', () => {
  const bodies = new ShownBodies()
  const read: string[] = []
  const of = (id: string) =>
    bodies.of(id, 1, () => {
      read.push(id)
      return { kind: 'queue.release' }
    })
  for (let n = 0; n < 101; n++) of(`c${n}`)
  read.length = 0
  for (const id of ['c100', 'c1', 'c0']) of(id)
  expect(read).toEqual(['c0'])
})
