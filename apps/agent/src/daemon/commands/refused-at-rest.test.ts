/** Answers and interrupts for a session at rest: however many come, what its log is certain of starts no host. */
import { readFileSync } from 'node:fs'
import { script } from '@roundhouse/adapter-scripted'
import type { Command, CommandBody, HostState, SessionStatus } from '@roundhouse/backend-types'
import { describe, expect, it } from 'vitest'
import { sessionFiles } from '../../host-contract/paths'
import { DaemonBench } from '../../testing/daemon-bench'
import { sessionName } from '../../testing/session-name'
import { refusedAtRest } from './refused-at-rest'

const s1 = sessionName('s1')
const decision = (requestId: string) =>
  ({ kind: 'permission.decide', requestId, procId: 'p1', digest: 'd', decision: 'allow' }) as const
const prompt = { kind: 'prompt.send', promptId: 'p', text: 'Go on.' } as const
const interrupt = { kind: 'turn.interrupt', turnId: 't1' } as const

const outcomes: Record<string, string> = {
  open: 'open',
  applying: 'applying',
  applied: 'applied',
  orphaned: 'orphaned',
}
const ended: SessionStatus = { status: 'ended', why: 'stopped' }
const resumable: SessionStatus = { status: 'resumable', why: 'process_exited' }

function codeOf(body: CommandBody, status: SessionStatus | null): string | null {
  const state = status && ({ sessionId: s1, status, queue: [], requests: [], openBlocks: [] } as Partial<HostState>)
  const log = { state: state as HostState | null, outcomeOf: (requestId: string) => outcomes[requestId] ?? null }
  return refusedAtRest({ sessionId: s1, body } as Command, log)?.code ?? null
}

describe('[CMD-2.10] of a session without a host, the log alone refuses', () => {
  it.each<[string, CommandBody, SessionStatus | null, string | null]>([
    ['an answer where the session has ended', decision('open'), ended, 'SESSION_ENDED'],
    ['an interrupt where the session has ended', interrupt, ended, 'SESSION_ENDED'],
    ['a prompt where the session has ended', prompt, ended, 'SESSION_ENDED'],
    ['an answer to what went with its program', decision('orphaned'), resumable, 'REQUEST_GONE'],
    ['an answer to what nobody asked', decision('unknown'), resumable, 'REQUEST_GONE'],
    ['an answer to what was answered', decision('applied'), resumable, 'PERMISSION_ALREADY_DECIDED'],
    ['an interrupt of a turn, since none runs', interrupt, resumable, 'ALREADY_ENDED'],
    ['the end of a task, since none runs', { kind: 'task.stop', taskId: 'b1' }, resumable, 'ALREADY_ENDED'],
  ])('%s', (_what, body, status, code) => expect(codeOf(body, status)).toBe(code))

  it.each<[string, CommandBody, SessionStatus | null]>([
    ['an answer to what is open yet', decision('open'), resumable],
    ['an answer that was perhaps carried out', decision('applying'), resumable],
    ['a prompt where the session can go on', prompt, resumable],
    ['the end of a program, which takes the wish to go on away', { kind: 'process.end' }, resumable],
    ['the end of a program of an ended session', { kind: 'process.end' }, ended],
    ['what blanks an event of an ended session', { kind: 'event.blank', seq: 1, reason: 'x' }, ended],
    ['anything, where no host ever said how it left the session', decision('orphaned'), null],
  ])('and not %s', (_what, body, status) => expect(codeOf(body, status)).toBeNull())
})

describe('[CMD-2.11] answers and interrupts that arrive when their session has ended', () => {
  const machine = DaemonBench.each()
  const launchId = () => JSON.parse(readFileSync(sessionFiles(machine.folder(s1)).launch, 'utf8')).launchId
  const give = (body: CommandBody) => machine.hub.command(machine.bench.command(s1, body, false))

  it('are refused as its host would, and start none', async () => {
    await machine.start()
    await machine.create(s1, script([{ tool: 'Write', input: { file_path: 'f.txt', content: 'x' } }]))
    await machine.has(s1, 'permission_requested')
    const [asked] = machine.of(s1, 'permission_requested')
    const { requestId = '', procId = '', digest = '' } = asked?.ask ?? {}
    await give({ kind: 'session.stop' })
    await machine.has(s1, 'session_ended')
    await machine.hub.until(() => machine.daemon.liveSessions().length === 0)
    const last = launchId()
    const many = Array.from({ length: 20 }, (_, n) =>
      give(n % 2 === 0 ? { ...decision(requestId), procId, digest } : interrupt),
    )
    const codes = (await Promise.all(many)).map(
      (reply) => reply.ok && reply.answer.state === 'refused' && reply.answer.error.code,
    )
    expect(codes).toEqual(Array.from({ length: 20 }, () => 'SESSION_ENDED'))
    expect({ launchId: launchId(), lives: machine.daemon.liveSessions() }).toEqual({ launchId: last, lives: [] })
  })
})
