/**
 * What the daemon looks at by itself lies on a disk that does not answer: conversations of programs, and the programs
 * themselves. Or it keeps a process that has nothing to do with the agent, so that nobody can read its environment. The machine
 * stays in, and its other sessions work.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { type HangingCalls, hangingCalls } from '../support/processes/hanging-calls'
import { type Rig, startRig } from '../support/rigs/rig'
import { variation } from '../support/rigs/variation'
import { wholeMatrix } from '../support/rigs/whole-matrix'

let rig: Rig | undefined
let calls: HangingCalls | undefined
let strangers: ChildProcess[] = []
afterEach(async () => {
  for (const stranger of strangers) stranger.kill('SIGKILL')
  strangers = []
  calls?.answer()
  calls = undefined
  await rig?.dispose()
})

const said = ({ system }: Rig, sessionId: string) =>
  eventsOf(logOf(system.agent.sessionFolder(sessionId))).flatMap((event) =>
    event.kind === 'assistant_text' ? [event.text] : [],
  )

async function answers(one: Rig, sessionId: string, text: string): Promise<void> {
  await one.prompt(sessionId, [{ text }])
  await until(`"${text}"`, () => said(one, sessionId).includes(text))
}

/** Of a host that died, and whose program may have left this folder. */
function leaveRecord(folder: string, left: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const host = { version: 1, sessionId: path.basename(folder), pid: 1, start: 'x', bootId: 'x', proto: 2, sock: 'x' }
  writeFileSync(path.join(folder, 'host.json'), JSON.stringify({ ...host, procs: [], mayLeave: [left] }))
}

/** Somebody's program: `environ` cannot be read while it hangs. */
function stranger(): { pid: number; environ: string; child: ChildProcess } {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' })
  strangers.push(child)
  const pid = child.pid ?? 0
  return { pid, environ: `/proc/${pid}/environ`, child }
}

/** Why each backend cannot be used, as people see it, and when that was looked at. */
async function backendsOf({ rest }: Rig) {
  const manifest = (await rest.agents()).items[0]?.manifest
  const reasons = (manifest?.backends ?? []).map(({ kind, unavailableReason = '' }) => [kind, unavailableReason])
  return { at: manifest?.generatedAt, reasons: Object.fromEntries(reasons) }
}

/** Those of which the machine says that they did not answer. */
async function silent({ rest }: Rig): Promise<string[]> {
  const backends = (await rest.agents()).items[0]?.manifest?.backends ?? []
  return backends.filter(({ unanswered }) => unanswered).map(({ kind }) => kind)
}

describe('[FLOW-7.1] a disk that does not answer', () => {
  it('with the conversations of sessions at rest costs the machine nothing: others go on, and all end when they are told to', async () => {
    const state = freshFolder('conversations')
    const hanging = hangingCalls(state)
    const env = { ROUNDHOUSE_SCRIPT_STATE: state, ...hanging.env }
    rig = await startRig({ agentEnv: env, envAllow: ['ROUNDHOUSE_SCRIPT_STATE'], idleMs: 1_000 })
    const one = rig
    const { agent } = one.system
    const [resting, neighbour] = [await one.begin([{ text: 'One.' }]), await one.begin([{ text: 'Two.' }])]
    await one.agree(resting)
    await one.agree(neighbour)
    await until('the hosts to rest', () => !agent.hasHost(resting) && !agent.hasHost(neighbour))
    hanging.hang()
    calls = hanging
    await until('the look at it', () => agent.output.includes(`are not seen: ${state}`))
    await answers(one, neighbour, 'While it hangs.')
    expect((await one.rest.agents()).items[0]?.online).toBe(true)
    // A program that was killed may have left folders there: what ends all sessions does not wait for them either.
    leaveRecord(agent.sessionFolder('s_killed'), path.join(state, 'repository', '.git'))
    expect((await agent.command(['stop', '--sessions'])).output).toContain('Ended: ')
    expect(agent.hasHost(neighbour)).toBe(false)
  })

  variation(
    'with programs of backends is named at them, the machine comes back however often they were looked at, and finds by itself that they answer',
    async () => {
      const bin = freshFolder('bin')
      const programs = ['claude', 'codex'].map((name) => path.join(bin, name))
      for (const program of programs) {
        writeFileSync(program, '#!/bin/sh\necho 1.0.0\n')
        chmodSync(program, 0o755)
      }
      const hanging = hangingCalls(bin)
      rig = await startRig({ agentEnv: hanging.env })
      const one = rig
      const { agent, hub, workDir } = one.system
      const session = await one.begin([{ text: 'One.' }])
      await one.agree(session)
      hanging.hang()
      calls = hanging
      const backends = { scripted: {}, claude: { path: programs[0], versions: '>=1' }, codex: { path: programs[1] } }
      const lookAgain = async (round: number) => {
        const { at } = await backendsOf(one)
        const limits = { runningSessions: round + 5 }
        agent.writePolicy({ roots: [workDir], envAllow: ['ROUNDHOUSE_SCRIPT_TRUTH'], backends, limits })
        return until('a look at the backends', async () => {
          const seen = await backendsOf(one)
          return seen.at !== at && seen.reasons
        })
      }
      for (const round of wholeMatrix ? [1, 2, 3] : [1, 2]) {
        const [claude, codex] = programs.map((program) => `${program} does not answer.`)
        expect(await lookAgain(round)).toMatchObject({ scripted: '', claude, codex })
        expect(await silent(one)).toEqual(['claude', 'codex'])
      }
      await hub.kill()
      await hub.start()
      await agent.connected()
      await answers(one, session, 'While it hangs.')

      hanging.answer()
      calls = undefined
      await until('a look of its own accord', async () => (await backendsOf(one)).reasons.claude === '')
    },
  )

  it.runIf(process.platform === 'linux')(
    '[RES-6.12] [RES-4] that keeps two processes of others costs the session whose they may be a wait, and the machine nothing',
    async () => {
      const older = stranger()
      const hanging = hangingCalls(older.environ)
      rig = await startRig({ agentEnv: hanging.env })
      const one = rig
      const { agent } = one.system
      const [broken, neighbour] = [await one.begin([{ text: 'One.' }]), await one.begin([{ text: 'Two.' }])]
      await one.agree(broken)
      await one.agree(neighbour)
      const younger = stranger()
      await agent.kill()
      agent.killHost(broken)
      hanging.hang(younger.environ)
      calls = hanging
      await agent.start()
      await answers(one, neighbour, 'While it hangs.')
      await until('what keeps it', () => agent.output.includes(`the environment of process ${younger.pid},`))
      expect(agent.output).not.toContain(`process ${older.pid} `)
      expect(agent.hasHost(broken)).toBe(false)
      expect([older, younger].map(({ child }) => [child.exitCode, child.signalCode])).toEqual([
        [null, null],
        [null, null],
      ])
      younger.child.kill('SIGKILL')
      await answers(one, broken, 'Once it has ended.')
    },
  )
})
