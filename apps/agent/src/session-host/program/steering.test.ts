import type { BackendAdapter } from '@roundhouse/backend-types'
import { beforeEach, describe, expect, it } from 'vitest'
import type { RunningBackend } from './program-runner'
import { Steering } from './steering'

type Steer = Required<BackendAdapter>['steer']

let order: string[]
let gone: AbortController
beforeEach(() => {
  order = []
  gone = new AbortController()
})

const images = { read: async () => [], drop: () => {} }
const begins = () => {
  order.push('begins')
}

function steered(steer?: Steer): Promise<boolean> {
  const running = { adapter: { steer }, process: {}, gone } as unknown as RunningBackend
  return new Steering(() => running, images).text('Mind the gap.', begins)
}

describe('[CMD-5] a text for the running turn', () => {
  it('[CMD-5.27] begins where the program says so, before its answer is read', async () => {
    const taken = steered(async (_process, text, _images, begun) => {
      begun?.()
      order.push(`answer to ${text}`)
      return true
    })
    expect([await taken, order]).toEqual([true, ['begins', 'answer to Mind the gap.']])
  })

  it('begins where it was taken, of an adapter that does not say when', async () => {
    expect([await steered(async () => true), order]).toEqual([true, ['begins']])
  })

  it('does not begin where the program has it no more, or cannot take it', async () => {
    expect([await steered(async () => false), await steered(), order]).toEqual([false, false, []])
  })

  it('is taken where the program ends right after it began with it', async () => {
    const taken = steered(async (_process, _text, _images, begun) => {
      begun?.()
      gone.abort()
      return Promise.reject(new Error('gone'))
    })
    expect([await taken, order]).toEqual([true, ['begins']])
  })

  it('[CMD-5.19] does not begin with a program that has ended, whatever it printed last', async () => {
    const taken = steered(async (_process, _text, _images, begun) => {
      gone.abort()
      begun?.()
      return true
    })
    await expect(taken).rejects.toMatchObject({ code: 'BACKEND_CRASHED' })
    await expect(steered(async () => true)).rejects.toMatchObject({ code: 'BACKEND_CRASHED' })
    expect(order).toEqual([])
  })

  it('is refused where it cannot be recorded', async () => {
    const running = { adapter: { steer: async () => true }, process: {}, gone } as unknown as RunningBackend
    const fails = () => {
      throw new Error('no such event')
    }
    await expect(new Steering(() => running, images).text('Mind the gap.', fails)).rejects.toThrow('no such event')
  })
})
