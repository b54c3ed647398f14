import { EndReason, ResumableReason, SessionStatus, TurnEnd } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { describeStatus } from '../sessions/describe-status'
import { adviceOn } from '../sessions/status-advice'
import { turnEndWords } from './turn-end-words'

/** Read from the contract: a reason that is new there fails here until it has words. */
const stops: SessionStatus[] = SessionStatus.options.flatMap(({ shape }) =>
  'why' in shape ? shape.why.options.map((why) => SessionStatus.parse({ status: shape.status.value, why })) : [],
)

describe('every way in which a session stops', () => {
  it('is one that the contract names', () => {
    const whys = stops.flatMap((status) => ('why' in status ? [status.why] : []))
    expect(whys).toEqual(expect.arrayContaining([...ResumableReason.options, ...EndReason.options, 'disk', 'policy']))
    expect(whys).toHaveLength(new Set(whys).size)
  })

  it.each(stops)('$status: $why has its own label and its own sentence', (status) => {
    const words = describeStatus({ status }, 0)
    const advice = adviceOn({ status })
    expect(advice).toMatch(/\.$/)
    const others = stops.filter((other) => other !== status)
    expect(others.map((other) => describeStatus({ status: other }, 0).label)).not.toContain(words.label)
    expect(others.map((other) => adviceOn({ status: other }))).not.toContain(advice)
  })

  it('says what the machine said, and what can be done about it', () => {
    const error = {
      code: 'PATH_NOT_ALLOWED',
      message:
        'The folder is outside the folders this machine allows. It allows /code. On that machine run: roundhouse-agent allow /etc',
    }
    expect(adviceOn({ status: { status: 'ended', why: 'failed', error } })).toBe(
      'The folder is outside the folders this machine allows. It allows /code. Choose another folder, or allow this one on that machine:',
    )
  })

  it('does not call a folder outside that is not there, nor say that it could be allowed', () => {
    const error = { code: 'PATH_NOT_ALLOWED', message: 'There is no such folder on this machine.' }
    expect(adviceOn({ status: { status: 'ended', why: 'failed', error } })).toBe(
      'There is no such folder on this machine. Choose another folder.',
    )
  })

  it('names a machine that is away first, and what is known of its session', () => {
    const away = (status: SessionStatus) => describeStatus({ status, unreachableSince: 1_000 }, 61_000)
    const advice = (status: SessionStatus) => adviceOn({ status, unreachableSince: 1_000 })
    expect(away({ status: 'running' })).toMatchObject({ label: 'Machine offline for 1 min', tone: 'quiet' })
    expect(advice({ status: 'running' })).toContain('may still be working')
    expect(away({ status: 'needs_you' })).toMatchObject({ tone: 'needs' })
    expect(away({ status: 'ended', why: 'stopped' }).label).toBe('Ended')
    expect(advice({ status: 'idle' })).toContain('Nothing was running when it disconnected')
  })

  it('of a session at rest says that its last turn failed', () => {
    const failed = (status: SessionStatus) => describeStatus({ status, turnFailed: true }, 0).label
    expect(failed({ status: 'idle' })).toBe('Failed')
    expect(failed({ status: 'resumable', why: 'idle' })).toBe('Failed')
    expect(failed({ status: 'running' })).toBe('Working')
    expect(failed({ status: 'needs_you' })).toBe('Needs you')
    expect(failed({ status: 'resumable', why: 'process_exited' })).toBe('Program ended')
    expect(failed({ status: 'ended', why: 'stopped' })).toBe('Ended')
  })

  it('[RUN-1.3] of a run that is over does not name a person, and says whether its turn failed', () => {
    const run = { onPermission: 'wait' } as const
    const over = { status: { status: 'ended', why: 'stopped' }, run } as const
    expect(describeStatus({ ...over, turnFailed: true }, 0)).toEqual({ label: 'Failed', tone: 'failed' })
    expect(describeStatus(over, 0).label).toBe('Ended')
    expect(adviceOn({ ...over, turnFailed: true })).toMatch(/^The run is over\./)
    expect(adviceOn(over)).not.toContain('A person')
  })

  it.each([
    ['HOST_DIED', 'Failed: host died'],
    ['BACKEND_CRASHED', 'Failed: program crashed'],
    ['OUTCOME_UNKNOWN', 'Failed: outcome unknown'],
    ['EVENTS_LOST', 'Failed: events lost'],
    ['error_max_turns', 'Failed: step limit'],
    ['error_max_budget', 'Failed: budget reached'],
    ['BACKEND_QUOTA', 'Failed'],
  ])('[RUN-1.3] of a run that failed with %s says why, and nothing that nobody can do any more', (code, label) => {
    const run = { onPermission: 'wait' } as const
    const status = { status: 'ended', why: 'stopped', error: { code, message: 'What happened.' } } as const
    expect(describeStatus({ status, run }, 0)).toEqual({ label, tone: 'failed' })
    expect(adviceOn({ status, run })).toMatch(
      /What happened\. The run is over\. It takes no more prompts; the transcript stays\.$/,
    )
  })

  it('[TREE-5.1] says that the tree of a session was stopped, if the session had not ended before', () => {
    const status = { status: 'ended', why: 'stopped' } as const
    const treeStopped = { at: 10, why: 'person' } as const
    expect(adviceOn({ status, treeStopped, updatedAt: 11 })).toMatch(/because its tree was stopped\./)
    expect(adviceOn({ status, treeStopped, updatedAt: 9 })).toMatch(/^A person ended this session\./)
  })

  it('[RES-3.10] says that it goes on by itself where it does, and not what a person would have to do', () => {
    const resumes = { attempt: 2, at: 1 }
    const error = { code: 'BACKEND_CRASHED', message: 'The program ended by SIGKILL.' }
    const ways: SessionStatus[] = [
      { status: 'resumable', why: 'host_died', resumes },
      { status: 'resumable', why: 'process_exited', error, resumes },
    ]
    for (const status of ways) {
      expect(adviceOn({ status })).toMatch(/Everything [^.]+ is here\. It resumes automatically \(attempt 2 of 3\)\.$/)
    }
    const waits = { status: { status: 'resumable', why: 'host_died', resumes }, agentName: 'vm' } as const
    expect(adviceOn({ ...waits, resumeWaits: { running: 4, limit: 4 } })).toContain(
      'of 3). Now waiting: 4 of 4 programs are running on vm.',
    )
  })

  it('[RES-2.7] says what a start waits for, and nothing of a start that waits for nothing', () => {
    expect(adviceOn({ status: { status: 'starting', waitsFor: 'It starts when this minute is over.' } })).toBe(
      'It starts when this minute is over.',
    )
    expect(adviceOn({ status: { status: 'starting' } })).toBeUndefined()
  })

  it('[RES-3] says why nobody resumes it any more and what a person can do, each once', () => {
    const error = { code: 'INTERNAL', message: 'The agent tried three times to resume this session.' }
    expect(adviceOn({ status: { status: 'resumable', why: 'start_failed', error } })).toBe(
      'The agent tried three times to resume this session. Send a prompt or press Resume to try again.',
    )
    expect(adviceOn({ status: { status: 'resumable', why: 'start_failed' } })).toBe(
      'The program did not start. Send a prompt or press Resume to try again.',
    )
  })

  it('names no “Resume” to whom none is offered', () => {
    for (const status of stops.filter(({ status }) => status === 'resumable')) {
      expect(adviceOn({ status }, false)).not.toMatch(/\bResume\b/)
      expect(adviceOn({ status }, false)).toMatch(/prompt/)
    }
  })

  it('does not say what ran on a machine that was never here', () => {
    const next = adviceOn({ status: { status: 'waiting_for_agent' }, unreachableSince: 1_000 })
    expect(next).toContain('It has not started this session yet.')
    expect(next).not.toContain('disconnected')
  })
})

describe('every way in which a turn ends', () => {
  it.each(TurnEnd.options)('[LOG-7] %s has its own words', (reason) => {
    const words = turnEndWords({ reason })
    const others = TurnEnd.options.filter((other) => other !== reason).map((other) => turnEndWords({ reason: other }))
    expect(others.map(({ label }) => label)).not.toContain(words.label)
    if (reason !== 'completed') expect(words.next).toMatch(/\.$/)
  })

  it('a failure says what the backend reported and what to do about it', () => {
    const overloaded = { code: 'BACKEND_OVERLOADED', message: 'Overloaded' }
    expect(turnEndWords({ reason: 'failed', error: overloaded }).next).toBe(
      'Overloaded. Wait a moment, then send the prompt again.',
    )
    const elsewhere = { code: 'ALREADY_RUNNING', message: 'This conversation is open in another Codex' }
    expect(turnEndWords({ reason: 'failed', error: elsewhere }).next).toBe(
      'This conversation is open in another Codex. End the other program, then send the prompt again.',
    )
    const limit = { code: 'BACKEND_QUOTA', message: 'You reached your limit', resetsAt: 1_795_564_199_000 }
    expect(turnEndWords({ reason: 'failed', error: limit }).next).toMatch(/The limit ends [^.]+ \d\d:49/)
    const tooLong = { code: 'CONVERSATION_TOO_LONG', message: 'Prompt is too long' }
    expect(turnEndWords({ reason: 'failed', error: tooLong }).next).toContain('/compact')
    const crashed = { code: 'BACKEND_CRASHED', message: 'The program ended.' }
    // Beside it stands “Try again”, and nothing is called “Resume” there.
    expect(turnEndWords({ reason: 'failed', error: crashed }).next).toBe(
      'The program ended. Everything it printed is here. Send the prompt again, or another one: the same conversation continues.',
    )
    const strange = { code: 'SOMETHING_NEW', message: 'It broke!' }
    expect(turnEndWords({ reason: 'failed', error: strange }).next).toBe(
      'It broke! What it did before stays. Send the prompt again to try once more.',
    )
  })
})
