import { describe, expect, it } from 'vitest'
import { commandWords } from './command-words'

describe('commandWords', () => {
  it.each(['accepted', 'done', 'cancelled'] as const)('says nothing about a command that is %s', (state) => {
    expect(commandWords({ kind: 'prompt.send', state }, 'vm')).toBeNull()
  })

  it('[CMD-2] never shows a command as taken before the machine took it', () => {
    expect(commandWords({ kind: 'prompt.send', state: 'pending' }, 'vm')).toEqual({
      name: 'Prompt',
      state: 'waiting for the machine',
      failed: false,
    })
    expect(commandWords({ kind: 'prompt.send', state: 'sent' }, 'vm')?.state).toContain('not accepted yet')
  })

  it('[CMD-5] says what was not done, and why', () => {
    const error = { code: 'ALREADY_STARTED', message: 'That prompt has already started.' }
    expect(commandWords({ kind: 'queue.edit', state: 'refused', error }, 'vm')).toEqual({
      name: 'Edit queued prompt',
      state: 'not done. That prompt has already started.',
      failed: true,
    })
    expect(commandWords({ kind: 'prompt.send', state: 'outcome_unknown' }, 'vm')?.state).toContain('unknown')
  })

  it('[CMD-8] says what a prompt waits for that has no place among the running programs, and what helps', () => {
    expect(commandWords({ kind: 'prompt.send', state: 'sent', waits: { running: 4, limit: 4 } }, 'vm')).toEqual({
      name: 'Prompt',
      state: 'waiting: 4 of 4 programs are running on vm. Stop one, or raise limits.runningSessions',
      failed: false,
    })
  })

  it('bears a kind that it does not know', () => {
    expect(commandWords({ kind: 'hologram.send', state: 'pending' }, 'vm')?.name).toBe('hologram.send')
  })
})
