import { McpSideEffects, type SessionEvent } from '@roundhouse/backend-types'
import { goldenEvents } from '@roundhouse/backend-types/fixtures'
import { describe, expect, it } from 'vitest'
import { deliveryOf } from './delivery-result'
import { emptyRun, foldRun } from './run-log'
import { sideEffectsOf } from './side-effects'

const asks = (requestId: string, verb: string, input: Record<string, unknown>): SessionEvent => ({
  kind: 'session_request',
  requestId,
  verb,
  input,
})

function sentIn(log: readonly SessionEvent[]) {
  return log.reduce((run, event, index) => foldRun(run, event, { seq: index + 1, at: index }).run, emptyRun).sent
}

describe('[RUN-4.1] the side effects of a run', () => {
  it('are what it published, sent and started, by the names of the tools', () => {
    const sent = sentIn([
      ...goldenEvents.published,
      asks('a', 'send', { sessionId: 'ses_2', text: 'Done: 3 passed.' }),
      asks('b', 'spawn', { prompt: 'Run the tests.' }),
      asks('c', 'read', { sessionId: 'ses_2' }),
    ])
    expect(McpSideEffects.parse(sideEffectsOf(sent))).toEqual({
      sentTexts: ['the plan is ready', 'Rewrite or patch?', 'as told', 'Done: 3 passed.', 'Run the tests.'],
      sentMediaUrls: [],
      sentTargets: [
        { tool: 'publish_phase', provider: 'roundhouse', to: 'worker.s_1.phase' },
        { tool: 'publish_event', provider: 'roundhouse', to: 'worker.s_1.event' },
        { tool: 'publish_phase', provider: 'roundhouse', to: 'worker.s_1.phase' },
        { tool: 'send_message', provider: 'roundhouse', to: 'ses_2' },
        { tool: 'spawn_session', provider: 'roundhouse' },
      ],
      cronAdds: 0,
    })
  })

  it('[RUN-4.2] count a call once, and one that was refused not at all', () => {
    const send = asks('a', 'send', { sessionId: 'ses_2', text: 'Hi.' })
    const sent = sentIn([send, send, asks('b', 'spawn', { prompt: 'Go.' })])
    expect(sideEffectsOf(sent, new Set(['b'])).sentTargets).toEqual([
      { tool: 'send_message', provider: 'roundhouse', to: 'ses_2' },
    ])
  })

  it('[RUN-4.3] are nothing for a run that sent nothing, and stay bounded for one that sends without end', () => {
    expect(sideEffectsOf([])).toEqual({ sentTexts: [], sentMediaUrls: [], sentTargets: [], cronAdds: 0 })
    const many = Array.from({ length: 1_200 }, (_, i) => asks(`r${i}`, 'send', { text: 'x'.repeat(30_000) }))
    const { sentTexts, sentTargets } = sideEffectsOf(sentIn(many))
    expect(sentTargets).toHaveLength(1_000)
    expect(sentTexts.join('').length).toBeLessThanOrEqual(1_048_576)
  })
})

describe('[RUN-4.4] what the caller of a run gets', () => {
  const run = { text: 'Hello.', durationMs: 1, aborted: false }
  const mcp = sideEffectsOf([])

  it('is one payload with the text, or none', () => {
    expect(deliveryOf(run, mcp)).toEqual({ payloads: [{ text: 'Hello.' }], run, mcp })
    expect(deliveryOf({ ...run, text: '' }, mcp).payloads).toEqual([])
  })

  it('has a sentence where the run has a code', () => {
    const failed = { ...run, errorSubtype: 'BACKEND_QUOTA' }
    expect(deliveryOf(failed, mcp, 'The limit is used up.').error).toBe('The limit is used up.')
    expect(deliveryOf(failed, mcp).error).toBe('The run ended: BACKEND_QUOTA.')
  })
})
