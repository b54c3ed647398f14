import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { allGoldenEvents, badEvents, goldenEvents } from './fixtures'
import {
  CodedError,
  EventEnvelope,
  errorCodes,
  errorTable,
  fromErrorBody,
  Id,
  parseEventBody,
  resolveSpawnOptions,
  SessionEvent,
  sessionEventKinds,
  toCodedError,
} from './index'

describe('session events', () => {
  it.each(allGoldenEvents.map((event) => [event.kind, event] as const))(
    'parses a golden %s back to itself',
    (_kind, event) => {
      expect(SessionEvent.parse(JSON.parse(JSON.stringify(event)))).toEqual(event)
    },
  )

  it.each(badEvents.map((bad) => [bad.name, bad] as const))('[BAD-1] refuses %s and says where', (_name, bad) => {
    const result = SessionEvent.safeParse(bad.value)
    expect(result.success).toBe(false)
    expect(result.error?.issues.map((issue) => issue.path.join('.'))).toContain(bad.path)
  })

  it('has a golden event for every kind', () => {
    expect(Object.keys(goldenEvents).sort()).toEqual([...sessionEventKinds].sort())
  })

  it('[BAD-3.2] ignores optional fields that it does not know', () => {
    expect(parseEventBody('{"kind":"thinking","text":"hm","colour":"red"}')).toEqual({ kind: 'thinking', text: 'hm' })
  })

  it('[BAD-3.1] reads a body of an unknown kind as unsupported', () => {
    expect(parseEventBody('{"kind":"hologram","depth":3}')).toBeNull()
    expect(parseEventBody('{"kind":')).toBeNull()
  })
})

describe('envelopes', () => {
  const envelope = { seq: 1, kind: 'thinking', v: 1, at: 1, hash: 'a'.repeat(64), body: '{}' }

  it.each([0, -1, 1.5, 2 ** 53, Number.NaN, '1'])('[T11] refuses the sequence number %s', (seq) => {
    expect(EventEnvelope.safeParse({ ...envelope, seq }).success).toBe(false)
  })

  it('takes the largest safe integer', () => {
    expect(EventEnvelope.safeParse({ ...envelope, seq: Number.MAX_SAFE_INTEGER }).success).toBe(true)
  })
})

describe('ids', () => {
  it.each(['../x', '-rf', 'a b', 'a;b', '$(x)', '', 'x'.repeat(65), 'a\n'])('[T62] [A9] [A40] refuses %j', (id) => {
    expect(Id.safeParse(id).success).toBe(false)
  })
})

describe('errors', () => {
  it('gives every code a status, a retry policy and a sentence', () => {
    for (const code of errorCodes) {
      expect(errorTable[code].status).toBeGreaterThanOrEqual(400)
      expect(errorTable[code].title).toMatch(/^[A-Z].*\.$/)
    }
  })

  it('survives the wire with code, message and details', () => {
    const error = new CodedError('SEQ_GAP', undefined, { expected: 7 })
    expect(fromErrorBody(JSON.parse(JSON.stringify(error.toBody()))).toBody()).toEqual(error.toBody())
  })

  it('turns a schema error into INVALID_ARGUMENT that names the field, and a stranger into INTERNAL without its text', () => {
    expect(toCodedError(SessionEvent.safeParse({ kind: 'thinking', text: 1 }).error).toBody()).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringMatching(/^text: /),
      details: { path: 'text' },
    })
    expect(toCodedError(z.object({ prompt: z.string() }).safeParse({}).error).message).toBe('prompt: is missing')
    expect(toCodedError(new Error('password=hunter2')).toBody().message).not.toContain('hunter2')
  })
})

describe('spawn options', () => {
  it('lets a turn override beat the sticky model and mode, field by field', () => {
    const sticky = { sessionId: 's', model: 'sonnet', mode: 'plan' }
    expect(resolveSpawnOptions({ ...sticky, turnOverride: { model: 'opus' } })).toEqual({ ...sticky, model: 'opus' })
    expect(resolveSpawnOptions({ ...sticky, turnOverride: { mode: 'ask' } })).toEqual({ ...sticky, mode: 'ask' })
  })
})
