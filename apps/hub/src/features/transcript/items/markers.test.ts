import { describe, expect, it } from 'vitest'
import { modeLabel } from '../../../ui/text/setting-words'
import { dayTime } from '../../../ui/text/time'
import { markerOf } from './markers'
import { plainNames } from './names'

const told = (subtype: string, data: unknown) => markerOf({ kind: 'system', subtype, data })

describe('[LOG-4.4] [LOG-4.5] [LOG-4.6] the line of the transcript for another conversation', () => {
  it('says that it was cleared, and that it goes on under another id', () => {
    expect(told('conversation_cleared', {})).toEqual({
      tone: 'quiet',
      text: 'Conversation cleared: the model knows nothing of what stands above',
    })
    expect(told('conversation_moved', {})?.text).toContain('under another id')
  })

  it('says what a compaction left, where both figures are known', () => {
    expect(told('conversation_compacted', { tokensBefore: 154_000, tokensAfter: 12_300 })?.text).toBe(
      'Conversation compacted from 154k to 12k tokens',
    )
    expect(told('conversation_compacted', { tokensBefore: 154_000 })?.text).toBe('Conversation compacted')
  })

  it('tells a compaction of an earlier release once', () => {
    expect(told('compact_boundary', {})?.text).toBe('Conversation compacted')
    expect(told('compaction', { status: 'started' })).toBeNull()
    expect(told('compaction', { status: 'completed' })?.text).toBe('Conversation compacted')
  })
})

it('[RES-9] a turn that was made elsewhere is said to be that, and not one that the program started by itself', () => {
  const started = { kind: 'turn_started', turnId: 't1', trigger: 'backend' } as const
  expect(markerOf({ ...started, elsewhere: true })?.text).toMatch(/Continued elsewhere/)
  expect(markerOf(started)?.text).toBe('The program started a turn by itself')
})

it('[RES-7.2] a mode that the program changed by itself is said to be its own change', () => {
  const names = { ...plainNames, mode: (code: string) => modeLabel(code, [{ code: 'plan', label: 'Plan' }]) }
  const changed = (by: 'person' | 'backend') =>
    markerOf({ kind: 'session_configured', changes: { mode: 'plan' }, by }, names)
  expect([changed('backend')?.text, changed('person')?.text]).toEqual([
    'The program changed to mode “Plan”',
    'Changed to mode “Plan”',
  ])
})

it('[CAP-4.2] a setting that a program refused is told with the reason, and what holds now', () => {
  const error = { code: 'UNSUPPORTED', message: 'The program takes no model "opus-99".' }
  const told = (changes: { model?: string }, unset?: 'model'[]) =>
    markerOf({ kind: 'session_configured', changes, by: 'backend', error, ...(unset ? { unset } : {}) })
  expect(told({ model: 'opus' })).toEqual({ tone: 'needs', text: `${error.message} So the model is opus again.` })
  expect(told({}, ['model'])?.text).toBe(`${error.message} So the model is the program’s own again.`)
  const plain = { code: 'MODEL_UNAVAILABLE', message: "Model 'opus-99' not found" }
  const taken = markerOf({ kind: 'session_configured', changes: { model: 'opus' }, by: 'backend', error: plain })
  expect(taken?.text).toBe("Model 'opus-99' not found. So the model is opus again.")
})

describe('[LOG-7.22] [SES-6] what ran in the background and ended with its program', () => {
  it('is named', () => {
    expect(told('background_ended', { kind: 'command', label: 'npm run dev' })).toEqual({
      tone: 'needs',
      text: 'Background command ended with the program: npm run dev',
    })
    expect(told('background_ended', { kind: 'helper', label: 'review' })?.text).toContain('Background sub-agent')
    expect(told('background_ended', { kind: 'helper', label: 'review', why: 'stopped' })).toEqual({
      tone: 'quiet',
      text: 'Background sub-agent stopped: review',
    })
  })
})

describe('[SES-6] what ran in the background and ended by itself', () => {
  const finished = (data: object) => told('background_finished', { kind: 'command', label: 'npm test', ...data })

  it('is named with how it ended', () => {
    expect(finished({ outcome: 'completed', exitCode: 0 })).toEqual({
      tone: 'quiet',
      text: 'Background command finished: npm test',
    })
    expect(finished({ outcome: 'failed', exitCode: 3 })).toEqual({
      tone: 'failed',
      text: 'Background command failed with exit code 3: npm test',
    })
    expect(finished({ kind: 'helper', outcome: 'failed', message: 'API Error: 400' })).toEqual({
      tone: 'failed',
      text: 'Background sub-agent failed: npm test',
      detail: 'API Error: 400',
    })
  })

  it('is a command as a person would type it', () => {
    const label = "/bin/bash -lc 'npm test'"
    expect(finished({ label, outcome: 'completed' })?.text).toBe('Background command finished: npm test')
  })

  it('is left to the event of who stopped it', () => {
    expect(finished({ outcome: 'stopped' })).toBeNull()
  })
})

describe('what a program reports beside its turns', () => {
  it('is said in words: a limit that is near or reached, and when it resets', () => {
    const resetsAt = Date.UTC(2026, 0, 5, 12)
    expect(told('rate_limit', { status: 'warning', limit: '5 hours', usedPercent: 82 })?.text).toBe(
      '82 % of the usage limit is used (5 hours)',
    )
    expect(told('rate_limit', { status: 'reached', limit: '7 days', resetsAt })).toEqual({
      tone: 'failed',
      text: `Usage limit reached (7 days). It resets ${dayTime(resetsAt)}`,
    })
  })

  it('is said in words: an MCP server that did not start, by its name', () => {
    expect(told('mcp_server_failed', { name: 'sums', message: 'Connection closed' })?.text).toBe(
      'The MCP server sums did not start: Connection closed',
    )
    expect(told('mcp_server_failed', { name: 'sums' })?.text).toBe('The MCP server sums did not start')
  })
})

it('[CMD-11.13] files that were put back are counted, and named behind the line', () => {
  expect(told('files_rewound', { promptId: 'p1', count: 2, files: ['/code/a', '/code/b'] })).toEqual({
    tone: 'quiet',
    text: '2 files were put back as before a prompt',
    detail: '/code/a\n/code/b',
  })
  expect(told('files_rewound', { promptId: 'p1', count: 1, files: ['/code/a'] })?.text).toBe(
    '1 file was put back as before a prompt',
  )
})

it('[CMD-11.3] a limit of the thinking that was taken away is said to be the model’s own', () => {
  const changed = (maxThinkingTokens: number | null) =>
    markerOf({ kind: 'session_configured', changes: { maxThinkingTokens }, by: 'person' })?.text
  expect([changed(2_048), changed(null)]).toEqual([
    'Changed to thinking limit 2048',
    'Changed to thinking limit of the model',
  ])
})
