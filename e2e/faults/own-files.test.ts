/**
 * The machine's own files, attacked through the production build: the hub says yes to everything, as a hub in the wrong
 * hands would, and the policy lets the program write anywhere that its user can.
 */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import type { SessionSettings } from '@roundhouse/backend-types'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventsOf, logOf } from '../support/accounts/ledger'
import { freshFolder } from '../support/common/paths'
import { until } from '../support/common/until'
import { processesOf } from '../support/processes/processes'
import { type Rig, startRig } from '../support/rigs/rig'

let rig: Rig
let root: string
let home: string
let agentId: string
/** Stands for the data folder of a hub that runs beside the agent. */
const hubData = freshFolder('hub-beside')

beforeAll(async () => {
  rig = await startRig({ agentEnv: { ROUNDHOUSE_DATA_DIR: hubData } })
  root = realpathSync(rig.system.workDir)
  home = realpathSync(rig.system.agent.home)
  writeFileSync(path.join(hubData, 'hub.db'), 'everything')
  writePolicy()
  agentId = (await rig.rest.agents()).items[0]?.agentId ?? ''
  symlinkSync(home, inRoot('way-in'))
  symlinkSync(path.join(home, 'config/policy.json'), inRoot('soft.json'))
  linkSync(path.join(home, 'config/policy.json'), inRoot('hard.json'))
  mkdirSync(inRoot('sub'))
})
afterAll(async () => {
  await rig.dispose()
  rmSync(hubData, { recursive: true, force: true })
})

const inRoot = (...parts: string[]) => path.join(root, ...parts)
const inHome = (...parts: string[]) => path.join(home, ...parts)
const events = (sessionId: string) => eventsOf(logOf(rig.system.agent.sessionFolder(sessionId)))

function writePolicy(more: Record<string, unknown> = {}): void {
  const { agent, around } = rig.system
  const rights = { maxSandbox: 'full-access', trustProjectConfig: true }
  agent.writePolicy({ roots: [root], envAllow: around.envAllow, backends: { scripted: {} }, ...rights, ...more })
}

/** How each request of the session ended, with the rule that refused it. */
const ends = (sessionId: string) =>
  events(sessionId).flatMap((event) =>
    event.kind === 'permission_resolved' ? [`${event.outcome} ${event.rule ?? ''}`.trim()] : [],
  )
/** Runs these calls; the hub says yes to each that is asked. */
async function runAll(calls: readonly object[], settings: Partial<SessionSettings> = {}): Promise<string> {
  const sessionId = await rig.begin([...calls, { text: 'Done.' }], { sandbox: 'full-access', ...settings })
  const answered = new Set<string>()
  await until('the turn to end', async () => {
    for (const { ask, decision, outcome } of (await rig.rest.snapshot(sessionId)).session.requests) {
      if (decision || outcome !== 'open' || answered.has(ask.requestId)) continue
      answered.add(ask.requestId)
      await rig.allow(ask)
    }
    return events(sessionId).some(({ kind }) => kind === 'turn_completed')
  })
  return sessionId
}

/** The code and the words with which the machine refuses to start such a session; nothing of it runs. */
async function refusal(settings: Partial<SessionSettings>): Promise<string> {
  const { sessionId } = await rig.rest.createSession({
    agentId,
    settings: { backend: 'scripted', workDir: root, ...settings },
    prompt: 'Go.',
  })
  const { error } = await until('the session to be refused', async () => {
    const { commands } = (await rig.rest.snapshot(sessionId)).session
    return commands.find(({ kind, state }) => kind === 'session.create' && state !== 'pending' && state !== 'sent')
  })
  expect(processesOf(sessionId)).toEqual([])
  return `${error?.code}: ${error?.message}`
}

describe("the machine's own files", () => {
  it('[T91] [POL-4] are not written with the yes of a hub, and no session starts where the policy does not allow it', async () => {
    const wide = JSON.stringify({ version: 1, roots: ['/etc', root], maxSandbox: 'full-access' })
    const before = readFileSync(inHome('config/policy.json'), 'utf8')
    const sessionId = await runAll([
      { tool: 'Write', input: { file_path: inHome('config/policy.json'), content: wide } },
    ])
    expect(ends(sessionId)).toEqual(['refused agentHome'])
    expect(readFileSync(inHome('config/policy.json'), 'utf8')).toBe(before)
    expect(await refusal({ workDir: '/etc', sandbox: 'full-access' })).toMatch(/^PATH_NOT_ALLOWED/)
  })

  it('[T91] [POL-4.2] [POL-4.3] [POL-4.4] are refused to programs by every name and every link, and nobody is asked', async () => {
    const policy = inHome('config/policy.json')
    const up = '../'.repeat(12)
    const names: Array<[string, object]> = [
      ['a folder behind a link', { tool: 'Write', input: { file_path: 'way-in/config/paused', content: '' } }],
      ['a link to a file', { tool: 'Write', input: { file_path: 'soft.json', content: '{}' } }],
      ['a hard link', { tool: 'Write', input: { file_path: 'hard.json', content: '{}' } }],
      ['a way up and down again', { tool: 'Write', input: { file_path: `${up}${policy}`, content: '{}' } }],
      ['the key', { tool: 'Read', input: { file_path: inHome('state/identity.json') } }],
      ['the digest key', { tool: 'Read', input: { file_path: inHome('state/digest.key') } }],
      ['the address of a file', { tool: 'Read', input: { uri: `file://${policy}` } }],
      ['a command', { tool: 'Bash', input: { command: `cat ${policy} > copied.txt` } }],
      ['quotes in the middle', { tool: 'Bash', input: { command: `cat ${home}/con"fig"/policy\\.json > copied.txt` } }],
      ['where a command goes first', { tool: 'Bash', input: { command: `cd way-in && cat config/policy.json` } }],
      ['a flag', { tool: 'Bash', input: { command: `tar -C${home} -cf out.tar config` } }],
      ['a flag with a file', { tool: 'Bash', input: { command: `tar -czf${policy} sub` } }],
      ['a file of arguments', { tool: 'Bash', input: { command: `curl -d@${policy} localhost` } }],
      ['a field of a form', { tool: 'Bash', input: { command: `curl -F x=@${policy} localhost` } }],
      ['a mount', { tool: 'Bash', input: { command: `docker run -v ${home}:/x img` } }],
      ['the folder it is in', { tool: 'Bash', input: { command: `cat $PWD/${up}${policy} > copied.txt` } }],
      ['a pattern', { tool: 'Bash', input: { command: `cat ${home}/conf*/polic?.json > copied.txt` } }],
      ['the data of a hub beside it', { tool: 'Bash', input: { command: `cat ${hubData}/hub.db > copied.txt` } }],
    ]
    const halves = [names.slice(0, 9), names.slice(9)]
    const sessions = await Promise.all(halves.map((half) => runAll(half.map(([, call]) => ({ ...call, ask: true })))))
    expect(sessions.flatMap(ends).map((end, index) => [names[index]?.[0], end])).toEqual(
      names.map(([name]) => [name, 'refused agentHome']),
    )
    expect([existsSync(inRoot('copied.txt')), existsSync(inHome('config/paused'))]).toEqual([false, false])
  })

  it('[POL-4.6] [PERM-2] are refused in an edit of what was asked', async () => {
    const before = readFileSync(inHome('config/policy.json'), 'utf8')
    const sessionId = await rig.begin(
      [{ tool: 'Write', input: { file_path: 'plain.txt', content: 'x' }, canEdit: true }, { text: 'Done.' }],
      { sandbox: 'full-access' },
    )
    const ask = await rig.asked(sessionId)
    const updatedInput = { file_path: inHome('config/policy.json'), content: '{}' }
    await rig.rest.decide(ask.requestId, { decision: 'allow', digest: ask.digest, updatedInput }).catch(() => {})
    await until('the turn to end', () => events(sessionId).some(({ kind }) => kind === 'turn_completed'))
    expect(ends(sessionId)).toEqual(['refused agentHome'])
    expect(readFileSync(inHome('config/policy.json'), 'utf8')).toBe(before)
  })

  it('[POL-4.8] are no work folder, no additional folder and no configuration of servers, even inside a root', async () => {
    writePolicy({ roots: [root, inHome('state'), hubData] })
    await until('the new policy to be in force', () => rig.system.agent.output.includes(`${home}/state`))
    mkdirSync(inHome('state/made'), { recursive: true })
    writeFileSync(inHome('state/mcp.json'), '{}')
    symlinkSync(inHome('state'), inRoot('state-link'))
    const own = /^POLICY_DENIED: .* belongs to the agent itself/
    expect(await refusal({ workDir: inHome('state/made') })).toMatch(own)
    expect(await refusal({ workDir: inRoot('state-link') })).toMatch(own)
    expect(await refusal({ workDir: hubData })).toMatch(own)
    expect(await refusal({ additionalDirs: [inHome('state')] })).toMatch(own)
    expect(await refusal({ mcpConfigPath: inHome('state/mcp.json') })).toMatch(own)
    writePolicy()
  })

  it("[POL-4.9] are not where a program's own temporary files are", async () => {
    const sessionId = await runAll([{ tool: 'Bash', input: { command: 'true' } }])
    expect(readdirSync(rig.system.agent.sessionFolder(sessionId))).not.toContain('scratch')
    expect(existsSync(inHome('state/scratch'))).toBe(false)
  })

  it('[POL-4.10] are not given away by a command of the owner that a program runs', async () => {
    const [sessionId = ''] = rig.system.agent.sessionIds()
    const run = (args: string[]) => rig.system.agent.command(args, { ROUNDHOUSE_SESSION: sessionId })
    for (const args of [['allow', '/etc'], ['resume'], ['rotate-key']]) {
      const { succeeded, output } = await run(args)
      expect([args, succeeded, /FORBIDDEN/.test(output)]).toEqual([args, false, true])
    }
  })
})

describe('a check of names', () => {
  const notesOf = (sessionId: string) =>
    events(sessionId).flatMap((event) => (event.kind === 'permission_requested' ? [event.ask.notes ?? []] : []))

  it('[T92] [POL-4.7] [PERM-5.32] says what it cannot settle, and asks', async () => {
    const commands = ['true', 'ls ..', 'cat $FILE', `ls ${path.dirname(home)}/**/config`, 'cat `x` $(y)']
    const sessionId = await runAll(commands.map((command) => ({ tool: 'Bash', input: { command } })))
    expect(notesOf(sessionId)).toEqual([
      [],
      [expect.stringContaining("holds the agent's own files")],
      [expect.stringContaining('$FILE')],
      [expect.stringContaining('can match')],
      [expect.stringContaining('`x`, $(y)')],
    ])
    expect(ends(sessionId)).toEqual(commands.map(() => 'applied'))
  })

  it('[PERM-5.33] is settled by a grant of exactly this text, and by no wider one', async () => {
    const call = (command: string) => ({ tool: 'Bash', input: { command } })
    const sessionId = await rig.begin([call('cat $FILE'), call('cat $FILE'), call('cat $OTHER'), { text: 'Done.' }])
    const first = await rig.asked(sessionId)
    expect(first.sessionScope?.scope).toEqual({ kind: 'exact' })
    await rig.rest.decide(first.requestId, { decision: 'allow_session', digest: first.digest })
    const other = await until('the other text to be asked', async () => {
      const ask = await rig.asked(sessionId)
      return JSON.stringify(ask.input).includes('$OTHER') ? ask : undefined
    })
    await rig.allow(other)
    await rig.agree(sessionId)
    expect(ends(sessionId)).toEqual(['applied', 'applied', 'applied'])
  })
})

describe('a time limit of the policy', () => {
  it('[PERM-4] ends a request that nobody answered; the program goes on', async () => {
    writePolicy({ limits: { askMs: 1_000 } })
    await until('the new policy to be in force', () =>
      rig.system.agent.output.includes('permission requests expire after 1 s'),
    )
    const before = Date.now()
    const sessionId = await rig.begin([{ tool: 'Bash', input: { command: 'true' } }, { text: 'Done.' }])
    await rig.agree(sessionId)
    expect(ends(sessionId)).toEqual(['expired'])
    const [ask] = events(sessionId).flatMap((event) => (event.kind === 'permission_requested' ? [event.ask] : []))
    expect((ask?.expiresAt ?? 0) - (ask?.askedAt ?? 0)).toBe(1_000)
    expect(Date.now() - before).toBeGreaterThanOrEqual(1_000)
    writePolicy()
  })
})
