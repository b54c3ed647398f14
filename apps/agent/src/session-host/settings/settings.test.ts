import type { Capabilities, SessionEvent } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import type { Journal } from '../journal/journal'
import { type StatusFacts, statusOf } from '../session-status'
import { conversationStarted, planStart, turnOver } from './identity-plan'
import { changesBetween, desiredOf, nextOutputStep } from './settings'
import { SettingsKeeper } from './settings-keeper'

describe('what a running backend must be told', () => {
  it('nothing, when nothing changed', () => {
    const settings = { model: 'm', sandbox: 'read-only' } as const
    expect(changesBetween(settings, { ...settings })).toEqual({ change: {}, restart: false })
  })

  it('what changed', () => {
    const { change, restart } = changesBetween({ model: 'a', mode: 'x' }, { model: 'b', mode: 'x' })
    expect({ change, restart }).toEqual({ change: { model: 'b' }, restart: false })
  })

  it('that it is started anew, to forget a setting or to take another longest answer', () => {
    expect(changesBetween({ model: 'a' }, {}).restart).toBe(true)
    expect(changesBetween({ maxOutputTokens: 32_000 }, { maxOutputTokens: 16_000 }).restart).toBe(true)
  })

  it('nothing of the longest answer, where the program has no such setting', () => {
    const { restart } = changesBetween(
      { maxOutputTokens: 32_000 },
      { maxOutputTokens: 16_000 },
      { limitsOutput: false },
    )
    expect(restart).toBe(false)
  })

  it('[RES-7] an override beats the sticky setting field by field', () => {
    const settings = { backend: 'b', workDir: '/', model: 'sticky', mode: 'sticky' }
    expect(desiredOf(settings, { model: 'once' })).toEqual({ model: 'once', mode: 'sticky' })
    expect(desiredOf(settings, { mode: 'once' })).toEqual({ model: 'sticky', mode: 'once' })
  })

  it('the ladder goes 32k, 16k, 8k and ends', () => {
    expect([64_000, 32_000, 16_000, 8_000].map(nextOutputStep)).toEqual([32_000, 16_000, 8_000, null])
  })
})

describe('a window that runs full', () => {
  const warning = { used: 9, hardLimit: 10, threshold: 8, distanceToHard: 1, maxOutputTokens: 32_000 }
  const stored = JSON.stringify({ settings: { backend: 'codex', workDir: '/' }, realWorkDir: '/' })

  it.each([
    [true, ['token_budget_warning', 'session_configured']],
    [false, ['token_budget_warning']],
  ])('[RES-7] is told, and steps down only what the program can set: %s', (limitsOutput, kinds) => {
    const written: SessionEvent[] = []
    const record = async (events: SessionEvent[]) => void written.push(...events)
    const journal = { log: { rows: { meta: () => stored } }, record } as unknown as Journal
    new SettingsKeeper(journal, () => {}).budget('p', warning, { limitsOutput } as Capabilities)
    expect(written.map(({ kind }) => kind)).toEqual(kinds)
  })
})

describe('[RES-8] which conversation a spawn goes on with', () => {
  const mint = () => 'minted'

  it('a new one gets an id of ours, known before the spawn', () => {
    expect(planStart({ state: 'none' }, mint)).toEqual({
      newSessionId: 'minted',
      freshIfUnknown: false,
      before: { state: 'minted', backendSessionId: 'minted' },
    })
  })

  it('one that died before it reported is resumed once, then begun afresh', () => {
    const plan = planStart({ state: 'minted', backendSessionId: 'x' }, mint)
    expect(plan).toMatchObject({ resumeId: 'x', freshIfUnknown: true })
  })

  it('a provisional id may be lost, until a turn is over', () => {
    const started = conversationStarted('x', true)
    expect(planStart(started, mint).freshIfUnknown).toBe(true)
    expect(planStart(turnOver(started), mint).freshIfUnknown).toBe(false)
  })

  it('a backend that mints its own ids is just started', () => {
    expect(planStart({ state: 'none' }, undefined)).toEqual({ freshIfUnknown: false, before: { state: 'none' } })
  })
})

describe('the status of a session', () => {
  const quiet: StatusFacts = {
    projection: { ended: null, exit: null },
    diskStalled: false,
    backlog: false,
    isStarting: false,
    startWaitsFor: null,
    isRunning: true,
    inTurn: false,
    openRequests: 0,
    planned: null,
    wish: { phase: 'none', tries: 0 },
  }
  const exit = { procId: 'p', why: 'process_exited', error: null } as const

  it.each<[string, Partial<StatusFacts>, object]>([
    ['idle with a backend', {}, { status: 'idle' }],
    ['idle before the first', { isRunning: false }, { status: 'idle' }],
    ['starting', { isRunning: false, isStarting: true, inTurn: true }, { status: 'starting' }],
    [
      'starting, and waits',
      { isRunning: false, isStarting: true, startWaitsFor: 'It waits.' },
      { status: 'starting', waitsFor: 'It waits.' },
    ],
    ['running', { inTurn: true }, { status: 'running' }],
    ['needing a person', { inTurn: true, openRequests: 1 }, { status: 'needs_you' }],
    ['paused by the backlog', { inTurn: true, backlog: true }, { status: 'paused', why: 'backlog' }],
    ['paused by the disk, whatever else', { inTurn: true, diskStalled: true }, { status: 'paused', why: 'disk' }],
    [
      'resumable after a crash',
      { isRunning: false, projection: { ended: null, exit } },
      { status: 'resumable', why: 'process_exited' },
    ],
    ['resumable after a planned end', { isRunning: false, planned: 'idle' }, { status: 'resumable', why: 'idle' }],
    [
      'ended, whatever else',
      { inTurn: true, projection: { ended: { why: 'stopped', error: null }, exit } },
      { status: 'ended', why: 'stopped' },
    ],
  ])('is %s', (_what, facts, expected) => {
    expect(statusOf({ ...quiet, ...facts })).toEqual(expected)
  })
})
