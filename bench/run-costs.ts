/**
 * What a run costs over the bare adapter, on the scripted program: from the request to `done`, and from a word that the program says to
 * whoever started it. The bare adapter, `AgentRuntime.execute` over it, `roundhouse-agent run`, and `POST /runs` of a hub are measured in
 * turn, so that all meet the same machine. Prints one line of JSON. All ends have one clock.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { BackendAdapter } from '@roundhouse/backend-types'
import { AdapterRuntime } from '@roundhouse/runtime/execute'
import { adapters } from '../apps/agent/src/backends/adapters'
import { repoRoot } from '../e2e/support/common/paths'
import { owner } from '../e2e/support/processes/hub-process'
import { startSystem } from '../e2e/support/processes/system'
import { RunCaller, readRun } from '../e2e/support/wire/run-caller'
import { quiet } from './lib/machine.mjs'
import { percentiles } from './lib/util.mjs'

const WARM_UP = 3
const ROUNDS = 20
const WORDS = 20
const agentMain = path.join(repoRoot, 'apps/agent/dist/main.js')
const playerPath = path.join(repoRoot, 'apps/agent/dist/scripted-cli.js')
const prompt = `SCRIPT: ${JSON.stringify([{ count: { to: WORDS, delayMs: 20, stamp: true } }])}`
const now = () => performance.timeOrigin + performance.now()

/** One way to run the prompt: `heard` gets each text when its caller has it. Resolves when the caller knows the end. */
type Way = (heard: (text: string) => void) => Promise<void>

const bareAdapter =
  (adapter: BackendAdapter, workDir: string): Way =>
  async (heard) => {
    const process = await adapter.spawn({ sessionId: 'bare', workDir })
    adapter.onOutput(process, (output) => {
      if (output.kind === 'assistant_text' && typeof output.text === 'string') heard(output.text)
    })
    const over = new Promise<void>((resolve) => adapter.onTurnComplete?.(process, () => resolve()))
    adapter.send(process, prompt)
    await over
    await adapter.stop(process)
  }

const executed =
  (adapter: BackendAdapter, workDir: string, scratchDir: string): Way =>
  async (heard) => {
    const runtime = new AdapterRuntime(adapter, { scratchDir })
    for await (const event of runtime.execute({ prompt, workingDirectory: workDir }))
      if (event.type === 'text') heard(event.text)
  }

const byCommand =
  (cwd: string, env: Record<string, string>): Way =>
  async (heard) => {
    const args = [agentMain, 'run', prompt, '--json', '--backend', 'scripted']
    const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
    createInterface({ input: child.stdout }).on('line', (line) => {
      const event = JSON.parse(line) as { type: string; text: string }
      if (event.type === 'text') heard(event.text)
    })
    await new Promise((resolve) => child.once('close', resolve))
  }

const byHub =
  (caller: RunCaller, agentId: string, workDir: string): Way =>
  async (heard) => {
    const body = { agentId, backend: 'scripted', workDir, prompt }
    let told = 0
    await readRun(await caller.send('POST', '/runs', body, { accept: 'application/x-ndjson' }), (events) => {
      for (const event of events.slice(told)) if (event.type === 'text') heard(event.text)
      told = events.length
      return events.at(-1)?.type === 'done'
    })
  }

/** Times of whole runs and of words, without the first ones. */
async function timesOf(ways: Record<string, Way>) {
  const found = Object.fromEntries(
    Object.keys(ways).map((name) => [name, { whole: [] as number[], word: [] as number[] }]),
  )
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [name, way] of Object.entries(ways)) {
      const words: number[] = []
      const begun = now()
      await way((text) => {
        const stamp = / @(\d+\.\d+)/.exec(text)?.[1]
        if (stamp !== undefined) words.push(now() - Number(stamp))
      })
      const took = now() - begun
      if (words.length !== WORDS) throw new Error(`${name}: ${words.length} of ${WORDS} words`)
      if (round < 0) continue
      found[name]?.whole.push(took)
      found[name]?.word.push(...words)
    }
  }
  return Object.fromEntries(
    Object.entries(found).map(([name, { whole, word }]) => [
      name,
      { whole: percentiles(whole), word: percentiles(word) },
    ]),
  )
}

const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'roundhouse-run-costs-')))
const system = await startSystem('scripted')
let result: object
try {
  const scratchDir = path.join(root, 'scratch')
  mkdirSync(scratchDir)
  const { workDir } = system
  const env = { PATH: process.env.PATH ?? '', HOME: root }
  const row = adapters.find(({ kind }) => kind === 'scripted')
  if (!row) throw new Error('there is no scripted adapter')
  const adapter = await row.load({ env, scratchDir, roots: [workDir] }, playerPath)
  const client = await system.hub.client()
  const agentId = (await client.rest.agents()).items[0]?.agentId ?? ''
  const { password } = owner
  const made = await client.rest.makeToken({ name: 'runs', scopes: ['operate', 'read'], ttlDays: 1, password })
  const caller = new RunCaller(() => system.hub.url, made.token)
  await quiet({ maxWait: 10_000 })
  const load = os.loadavg()[0]?.toFixed(1)
  const ways = {
    bare: bareAdapter(adapter, workDir),
    executed: executed(adapter, workDir, scratchDir),
    command: byCommand(workDir, { ...env, ROUNDHOUSE_AGENT_HOME: system.agent.home }),
    hub: byHub(caller, agentId, workDir),
  }
  result = { rounds: ROUNDS, load, ...(await timesOf(ways)) }
  client.close()
} catch (error) {
  result = { error: String(error) }
} finally {
  await system.dispose()
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}
console.log(JSON.stringify(result))
process.exit()
