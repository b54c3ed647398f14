/** Hosts that live and are not found at once: their sockets were removed. Of frozen ones: e2e/faults/lost-socket.test.ts. */
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { beforeEach, describe, expect, it } from 'vitest'
import { DaemonBench } from '../../testing/daemon-bench'
import { sessionName } from '../../testing/session-name'

const [s1, s2] = [sessionName('s1'), sessionName('s2')]
const machine = DaemonBench.each()
beforeEach(() => machine.start())

const asking = (file: string) =>
  script([{ tool: 'Write', input: { file_path: file, content: 'x' } }, { text: 'Done.' }])
const stop = (sessionId: string) =>
  machine.hub.command(machine.bench.command(sessionId, { kind: 'session.stop' }, false))

async function asks(sessionId: string): Promise<void> {
  await machine.create(sessionId, asking(`${sessionId}.txt`))
  await machine.has(sessionId, 'permission_requested')
}

async function allow(sessionId: string): Promise<void> {
  const [asked] = machine.of(sessionId, 'permission_requested')
  if (!asked) throw new Error('nothing was asked')
  const { requestId, procId, digest } = asked.ask
  const decide = { kind: 'permission.decide', requestId, procId, digest, decision: 'allow' } as const
  await machine.hub.command(machine.bench.command(sessionId, decide, false))
  await machine.has(sessionId, 'turn_completed')
  expect(readFileSync(path.join(machine.bench.workDir, `${sessionId}.txt`), 'utf8')).toBe('x')
}

describe('[RES-1.11] [PERM-3] hosts whose sockets were removed', () => {
  it('are found by the next daemon, with their folder gone too: an answer is carried out, a stop stops', async () => {
    await asks(s1)
    await asks(s2)
    rmSync(path.dirname(machine.record(s1).sock), { recursive: true })
    await machine.restart()
    await allow(s1)
    expect(await stop(s2)).toMatchObject({ answer: { state: 'accepted' } })
    await machine.has(s2, 'session_ended')
  })
})
