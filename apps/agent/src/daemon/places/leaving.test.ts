/** A daemon that leaves with its sessions: when it is gone, nobody is left who writes into its folder. */
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import { isRunning } from '@roundhouse/owner'
import { expect, it, vi } from 'vitest'
import { sessionFiles } from '../../host-contract/paths'
import { DaemonBench } from '../../testing/daemon-bench'
import { sessionName } from '../../testing/session-name'
import { wholeMatrix } from '../../testing/variation'

const sessions = (wholeMatrix ? ['s1', 's2', 's3'] : ['s1', 's2']).map(sessionName)
const machine = DaemonBench.each()

/** What the host of a session was started for last. */
const modes = () =>
  sessions.map((sessionId) => JSON.parse(readFileSync(sessionFiles(machine.folder(sessionId)).launch, 'utf8')).mode)

it('[RES-9] hosts that read what terminals added start no more once it has begun to leave', async () => {
  const env = { ...process.env, XDG_RUNTIME_DIR: undefined, HOME: machine.bench.root }
  await machine.start({ idleMs: 300, env })
  for (const sessionId of sessions) await machine.create(sessionId, script([{ text: 'Here.' }]))
  await machine.rests()
  await machine.daemon.leave()
  const folder = path.join(machine.bench.root, '.roundhouse-scripted')
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name)
    writeFileSync(file, `${readFileSync(file, 'utf8')}\n`)
    utimesSync(file, new Date(), new Date(Date.now() - 60_000))
  }
  const before = modes()
  await machine.start({ idleMs: 300, env })
  await vi.waitUntil(() => modes().includes('close'), 20_000)
  await machine.daemon.endSessions(5_000)
  expect([before, modes().sort()]).toEqual([
    sessions.map(() => 'run'),
    ['close', ...sessions.slice(1).map(() => 'run')],
  ])
})

it('[RES-6] a host that holds its session and was not found is ended with the others', async () => {
  const [frozen = ''] = sessions
  await machine.start()
  await machine.create(frozen, script([{ text: 'It never ends ', hang: true }]))
  await machine.has(frozen, 'session_started')
  const host = machine.record(frozen)
  process.kill(host.pid, 'SIGSTOP')
  await machine.restart()
  await machine.daemon.endSessions(5_000)
  expect(isRunning(host)).toBe(false)
})
