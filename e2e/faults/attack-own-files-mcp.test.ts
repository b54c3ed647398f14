/** The machine's own files, named to programs that nobody knows: servers of tools. The hub says yes to everything. */
import { linkSync, realpathSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { SessionSettings } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/ledger'
import { type Rig, startRig } from '../support/rig'
import { until } from '../support/until'

let rig: Rig
let root: string
let home: string
let agentId: string

beforeAll(async () => {
  rig = await startRig()
  root = realpathSync(rig.system.workDir)
  home = realpathSync(rig.system.agent.home)
  agentId = (await rig.rest.agents()).items[0]?.agentId ?? ''
  const { agent, around } = rig.system
  const rights = { maxSandbox: 'full-access', trustProjectConfig: true }
  agent.writePolicy({ roots: [root], envAllow: around.envAllow, backends: { scripted: {} }, ...rights })
})
afterAll(() => rig.dispose())

const inRoot = (...parts: string[]) => path.join(root, ...parts)
const policyFile = () => path.join(home, 'config/policy.json')
const events = (sessionId: string) => eventsOf(logOf(rig.system.agent.sessionFolder(sessionId)))

/** Of each request of the session: what became of it, and whether the question had a line of what nobody can know. */
function ends(sessionId: string): string[] {
  const notes = new Map<string, number>()
  return events(sessionId).flatMap((event) => {
    if (event.kind === 'permission_requested') notes.set(event.ask.requestId, event.ask.notes?.length ?? 0)
    if (event.kind !== 'permission_resolved') return []
    const noted = event.outcome === 'applied' && (notes.get(event.requestId) ?? 0) > 0 ? 'noted' : ''
    return [[event.outcome, event.rule ?? event.refusedBy ?? noted].join(' ').trim()]
  })
}

async function sayYesToAll(sessionId: string): Promise<void> {
  const answered = new Set<string>()
  await until('the turn to end', async () => {
    for (const { ask, decision, outcome } of (await rig.rest.snapshot(sessionId)).session.requests) {
      if (decision || outcome !== 'open' || answered.has(ask.requestId)) continue
      answered.add(ask.requestId)
      await rig.allow(ask).catch(() => {})
    }
    return events(sessionId).some(({ kind }) => kind === 'turn_completed')
  })
}

async function endsOf(calls: readonly object[], settings: Partial<SessionSettings> = {}): Promise<string[]> {
  const asking = calls.map((call) => ({ ...call, ask: true }))
  const sessionId = await rig.begin([...asking, { text: 'Done.' }], { sandbox: 'full-access', ...settings })
  await sayYesToAll(sessionId)
  return ends(sessionId)
}

/** The code with which the machine refuses to start such a session. */
async function refusal(settings: Partial<SessionSettings>): Promise<string | undefined> {
  const asked = { agentId, settings: { backend: 'scripted' as const, workDir: root, ...settings }, prompt: 'Go.' }
  const { sessionId } = await rig.rest.createSession(asked)
  const made = await until('an answer of the machine', async () => {
    const { commands: sent, head } = (await rig.rest.snapshot(sessionId)).session
    const create = sent.find(({ kind }) => kind === 'session.create')
    return head > 0
      ? { error: { code: 'STARTED' } }
      : create && !['pending', 'sent', 'accepted'].includes(create.state) && create
  })
  return made.error?.code
}

describe("the machine's own files", () => {
  it('[POL-4] [T91] are no configuration of servers by a hard link', async () => {
    for (const file of ['config/policy.json', 'state/identity.json']) {
      const name = inRoot(`hard-${path.basename(file)}`)
      linkSync(path.join(home, file), name)
      expect([file, await refusal({ mcpConfigPath: name })]).toEqual([file, 'POLICY_DENIED'])
    }
  })

  it('[POL-4] [T91] are not named in full in what a tool of a server is given without a refusal or a line that says so', async () => {
    writeFileSync(inRoot('mcp.json'), JSON.stringify({ mcpServers: { fs: { command: 'true', args: [] } } }))
    const file = policyFile()
    const inputs = [
      { argv: ['bash', '-lc', `cat ${file}`] },
      { args: ['-c', `cat ${file}`] },
      { code: `open('${file}')` },
      { sql: `select readfile('${file}')` },
      { paths: `x\n${file}` },
      { paths: `x,${file}` },
      { path: ` ${file}` },
      { json: JSON.stringify({ f: file }) },
      { uri: `vscode-file://x${file}` },
    ]
    const found = await endsOf(
      inputs.map((input) => ({ tool: 'mcp__fs__tool', input })),
      { mcpConfigPath: inRoot('mcp.json') },
    )
    const silent = inputs.filter((_input, i) => found[i] === 'applied')
    expect(silent).toEqual([])
  })
})
