/** A program with a companion: its gateway belongs to one session, and ends with it, whoever is killed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { repoRoot } from '../support/common/paths'
import { until } from '../support/common/until'
import { type Rig, startRig } from '../support/rigs/rig'

const standIn = path.join(repoRoot, 'packages/adapter-acp/src/testing/scripted-openclaw.mjs')
const claw = { argv: [process.execPath, standIn, 'acp'], profile: 'openclaw', label: 'Claw' }

let rig: Rig
beforeAll(async () => {
  rig = await startRig()
  const { agent } = rig.system
  const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
  agent.writePolicy({ ...policy, programs: { claw } })
  await until('the machine to have its program', async () => {
    const [machine] = (await rig.rest.agents()).items
    return machine?.manifest?.backends.some(({ kind, installed }) => kind === 'claw' && installed)
  })
}, 120_000)
afterAll(() => rig.dispose())

/** HOME of the programs is the agent's home here. */
const states = () => path.join(rig.system.agent.home, '.openclaw-roundhouse')

/** The gateway that last wrote into the only folder of a conversation. */
function gateway(): { pid: number; port: number } | undefined {
  const folders = existsSync(states()) ? readdirSync(states()).filter((name) => /^[\da-f-]{36}$/.test(name)) : []
  const file = path.join(states(), folders[0] ?? '', 'gateway.json')
  if (folders.length !== 1 || !existsSync(file)) return undefined
  const { pid, config } = JSON.parse(readFileSync(file, 'utf8'))
  return { pid, port: config.gateway.port }
}

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const answers = (port: number) =>
  fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )
const said = (sessionId: string, text: string) =>
  until(`"${text}"`, () =>
    eventsOf(logOf(rig.system.agent.sessionFolder(sessionId))).some(
      (event) => event.kind === 'assistant_text' && event.text === text,
    ),
  )

describe('[RES-6.4] [RES-6.8] a gateway of a session', () => {
  it('ends with the host, the program, or the session, and the conversation continues with another one', async () => {
    const { agent } = rig.system
    const sessionId = await rig.begin([{ text: 'Before.' }], { backend: 'claw' })
    await said(sessionId, 'Before.')
    const first = await until('the gateway', gateway)
    expect(await answers(first.port)).toBe(true)

    process.kill(await until('the host', () => agent.hostPid(sessionId)), 'SIGKILL')
    await until('the gateway of the dead host to end', () => !isRunning(first.pid))
    expect(await answers(first.port)).toBe(false)

    await rig.prompt(sessionId, [{ text: 'After the host.' }])
    await said(sessionId, 'After the host.')
    const second = await until('another gateway', gateway)
    expect(second.pid).not.toBe(first.pid)

    process.kill(await until('the program', () => agent.backendPid(sessionId)), 'SIGKILL')
    await until('the gateway of the dead program to end', () => !isRunning(second.pid))
    await rig.prompt(sessionId, [{ text: 'After the program.' }])
    await said(sessionId, 'After the program.')

    const third = await until('a third gateway', gateway)
    process.kill(third.pid, 'SIGKILL')
    await until('the program to end with its gateway', () => agent.backendPid(sessionId) === undefined)
    await rig.prompt(sessionId, [{ text: 'After the gateway.' }])
    await said(sessionId, 'After the gateway.')
  })
})
