import type { AgentView } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { machineOptions, pickMachine, refusalOf } from './machine-choice'
import { whyNoProgram } from './why-no-program'

const machine = (name: string, change: Partial<AgentView> = {}): AgentView => ({
  agentId: name,
  name,
  state: 'active',
  online: true,
  lastSeenAt: null,
  createdAt: 0,
  keyFingerprint: '',
  roots: ['/code'],
  manifest: null,
  activeSessions: 0,
  ...change,
})
const paused = machine('paused', { pausedAt: 1 })
const full = machine('full', { disk: 'full' })
const away = machine('away', { online: false })
const here = machine('here')

describe('the machines for a new session', () => {
  it('that would refuse it are shown with the reason, and cannot be chosen', () => {
    expect(machineOptions([paused, full, away, here])).toEqual([
      { value: 'paused', label: 'paused — paused by its owner', disabled: true },
      { value: 'full', label: 'full — its disk is full', disabled: true },
      { value: 'away', label: 'away (offline: starts when it reconnects)', disabled: false },
      { value: 'here', label: 'here', disabled: false },
    ])
    expect(refusalOf(machine('bare', { roots: [] }))).toBe('allows no folder yet')
  })

  it('begin with the one that is wanted, else with one that is there and takes it', () => {
    const all = [paused, full, away, here]
    expect(pickMachine(all, 'away')?.name).toBe('away')
    expect(pickMachine(all, 'paused')?.name).toBe('here')
    expect(pickMachine([paused, away], null)?.name).toBe('away')
    expect(pickMachine([paused], null)?.name).toBe('paused')
  })
})

describe('a session whose machine would refuse it', () => {
  const missing = {
    kind: 'codex',
    label: 'Codex',
    installed: false,
    unavailableReason: "Not in this machine's policy.",
  }
  const manifest = { manifestVersion: 1, generatedAt: '', backends: [missing] } as unknown as AgentView['manifest']

  it('says why, and what to do about it', () => {
    expect(whyNoProgram(paused, 'codex')).toContain('roundhouse-agent resume')
    expect(whyNoProgram(machine('here', { manifest }), 'codex')).toBe(
      "Codex cannot run on here now. Not in this machine's policy. Sessions continue when it can.",
    )
    expect(whyNoProgram(machine('here', { manifest }), 'claude')).toBeUndefined()
    expect(whyNoProgram(here, 'codex')).toBeUndefined()
  })
})
