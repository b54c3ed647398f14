import { describe, expect, it } from 'vitest'
import { commandWords } from './command-words'

describe('commandWords', () => {
  it.each(['accepted', 'done', 'cancelled'] as const)('says nothing about a command that is %s', (state) => {
    expect(commandWords({ kind: 'prompt.send', state })).toBeNull()
  })

  it('[CMD-2] never shows a command as taken before the machine took it', () => {
    expect(commandWords({ kind: 'prompt.send', state: 'pending' })).toEqual({
      name: 'Prompt',
      state: 'waiting for the machine',
      failed: false,
    })
    expect(commandWords({ kind: 'prompt.send', state: 'sent' })?.state).toContain('not accepted yet')
  })

  it('[CMD-5] says what was not done, and why', () => {
    const error = { code: 'ALREADY_STARTED', message: 'That prompt has already started.' }
    expect(commandWords({ kind: 'queue.edit', state: 'refused', error })).toEqual({
      name: 'Change of a queued prompt',
      state: 'not done. That prompt has already started.',
      failed: true,
    })
    expect(commandWords({ kind: 'prompt.send', state: 'outcome_unknown' })?.state).toContain('unknown')
  })

  it('says why the machine has not accepted a prompt that waits for a place', () => {
    expect(commandWords({ kind: 'prompt.send', state: 'sent', waits: { running: 4, limit: 4 } })).toEqual({
      name: 'Prompt',
      state: 'waits: 4 of 4 programs run on this machine',
      failed: false,
    })
  })

  it('bears a kind that it does not know', () => {
    expect(commandWords({ kind: 'hologram.send', state: 'pending' })?.name).toBe('hologram.send')
  })
})
