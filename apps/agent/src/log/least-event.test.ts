import type { SessionEvent } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../redact/redactor'
import { serializeEvent } from './serialize'

const long = 'r'.repeat(400_000)
const id = 'x'.repeat(300)
const written = (event: unknown) => serializeEvent(event as SessionEvent, createRedactor([]), () => null).event

describe('an event that must exist', () => {
  it('[LOG-7.1] an end of a turn is written without the figures that are none', () => {
    const end = { kind: 'turn_completed', turnId: 't1', commandId: 'c1', reason: 'completed' }
    expect(written({ ...end, usage: { outputTokens: -5 }, cost: Number.NaN })).toEqual(end)
    expect(written({ ...end, reason: 'tired' })).toEqual({ ...end, reason: 'failed' })
    const failed = { ...end, reason: 'failed', error: { code: 'BACKEND_ERROR', message: long } }
    expect(written(failed)).toMatchObject({ error: { message: expect.stringMatching(/cut here\]$/) } })
  })

  it('[PERM-6] a resolution is written with a short id, and without what is too large', () => {
    const resolved = {
      kind: 'permission_resolved',
      requestId: 'r1',
      outcome: 'applied',
      digest: 'd',
      decision: 'allow',
    }
    expect(written({ ...resolved, callId: id, reason: long })).toEqual({
      ...resolved,
      callId: expect.stringMatching(/^x{64}~[0-9a-f]{32}$/),
    })
  })

  it('[LOG-7] the result of a call and the end of a process are written', () => {
    expect(written({ kind: 'tool_result', callId: id, output: null, interrupted: true })).toMatchObject({
      callId: expect.stringMatching(/~/),
      interrupted: true,
    })
    const exit = { kind: 'process_exited', procId: 'p1', code: 1.5, signal: null, stderrTail: long, cause: 'crashed' }
    expect(written(exit)).toMatchObject({ code: null, stderrTail: expect.stringMatching(/cut here\]$/) })
  })
})

describe('another event', () => {
  it('[BAD-1.3] that is not valid is refused', () => {
    expect(() => written({ kind: 'tool_use', callId: id, toolName: 'Write', input: {} })).toThrow()
  })
})
