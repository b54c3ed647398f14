/**
 * Programs that are slow. A machine whose agent starts again asks its programs anew, which takes a while; and people do not wait with
 * what they want until a program has started.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { AgentView } from '@roundhouse/backend-types'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { type Rig, scriptOf, startRig } from '../support/rigs/rig'

const folder = freshFolder('slow-program')
/** While it is there, no program begins. */
const held = path.join(folder, 'held')
/** Loaded into the player before its own code. */
const shim = path.join(folder, 'held.cjs')
writeFileSync(
  shim,
  `const begins = process.argv[1]?.endsWith('scripted-cli.js') && process.argv[2] !== '--version'
while (begins && require('node:fs').existsSync(${JSON.stringify(held)}))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)`,
)

let rig: Rig
beforeAll(async () => {
  rig = await startRig({ agentEnv: { NODE_OPTIONS: `--require ${shim}` }, envAllow: ['NODE_OPTIONS'] })
  const { agent } = rig.system
  const policy = JSON.parse(readFileSync(path.join(agent.home, 'config/policy.json'), 'utf8'))
  const late = { argv: ['/bin/sh', '-c', 'sleep 1.5; exit 1'], profile: 'generic', label: 'Late' }
  agent.writePolicy({ ...policy, programs: { late } })
})
afterAll(async () => {
  rmSync(held, { force: true })
  await rig.dispose()
  rmSync(folder, { recursive: true })
})

/** With the programs that are installed. */
const kindsOf = (machine?: AgentView) =>
  (machine?.manifest?.backends ?? [])
    .filter(({ installed }) => installed)
    .map(({ kind }) => kind)
    .join(' ')

it('[LINK-2.8] has the programs that it named before from its first moment on, whenever somebody looks', async () => {
  const { agent } = rig.system
  const machine = async () => (await rig.rest.agents()).items[0]
  await until('the machine to name its program', async () =>
    (await machine())?.manifest?.backends.some(({ kind }) => kind === 'late'),
  )
  const named = await machine()
  const before = named?.manifest?.generatedAt
  await agent.kill()
  await until('the machine to be away', async () => (await machine())?.online === false)

  agent.launch()
  const seen: string[] = []
  await until('the machine to have asked its programs', async () => {
    const now = await machine()
    if (!now?.online) return false
    seen.push(kindsOf(now))
    return now.manifest?.generatedAt !== before
  })

  expect(new Set(seen)).toEqual(new Set([kindsOf(named)]))
})

it('[RES-4.4] a prompt that meets a program which is starting with other settings has the settings that it was sent with', async () => {
  const view = async () => (await rig.rest.snapshot(sessionId, 1)).session
  const sessionId = await rig.begin([{ text: 'Ready.' }])
  await rig.agree(sessionId)
  await rig.rest.endProcess(sessionId)
  await until('its program to end', async () => (await view()).status.status === 'resumable')
  writeFileSync(held, '')
  await rig.rest.resume(sessionId, {})
  await until('a program to be starting', async () => (await view()).status.status === 'starting')
  const text = scriptOf([{ tool: 'Write', input: { file_path: 'planned.txt', content: 'x' } }, { text: 'Planned.' }])
  await rig.rest.prompt(sessionId, { promptId: 'planned', text, override: { mode: 'plan' } })
  await until('the prompt to wait for it', async () => (await view()).turnId !== undefined)
  rmSync(held)
  await until('the program to answer, or to ask', async () => {
    const { lastLine, requests } = await view()
    return lastLine === 'Planned.' || requests.length > 0
  })
  expect((await view()).requests).toEqual([])
  await rig.agree(sessionId)
  const log = eventsOf(logOf(rig.system.agent.sessionFolder(sessionId)))
  const [result] = log.flatMap((event) => (event.kind === 'tool_result' ? [JSON.stringify(event)] : []))
  expect(result).toContain('Plan mode: nothing is changed')
  expect(existsSync(path.join(rig.system.workDir, 'planned.txt'))).toBe(false)
  expect(log.filter(({ kind }) => kind === 'session_started')).toHaveLength(2)
})
