import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { script } from '@roundhouse/adapter-scripted'
import type { Command } from '@roundhouse/backend-types'
import { makeKeyPair } from '@roundhouse/keys'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agentHome } from '../files/agent-home'
import { writeIdentity } from '../identity/identity-file'
import { PolicyStore } from '../policy/policy-store'
import { allowFolder, realRoots } from '../policy/real-roots'
import { agent, type Running, runAgent } from '../testing/built-agent'
import { FakeHub } from '../testing/fake-hub'
import { processesOf } from '../testing/processes-of'
import { sessionName } from '../testing/session-name'
import { variation } from '../testing/variation'

const s1 = sessionName('s1')
const s2 = sessionName('s2')

let hub: FakeHub
let root: string
let home: string
let code: string
let started: Running[]

beforeEach(async () => {
  hub = new FakeHub()
  await hub.start()
  root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'rh-cli-')))
  home = path.join(root, 'agent')
  code = path.join(root, 'code')
  mkdirSync(code)
  started = []
})
afterEach(async () => {
  for (const running of started) running.kill('SIGKILL')
  await Promise.all(started.map(({ ended }) => ended))
  if (started.length > 0) await agent(home, ['stop', '--sessions'])
  await hub.stop()
  rmSync(root, { recursive: true, force: true })
})

const join = () => agent(home, ['join', hub.url, '--fingerprint', hub.fingerprint, '--name', 'desk'], `${hub.token}\n`)
/** As `join` and `allow` leave the machine, without running them. */
const joined = () => {
  const keys = makeKeyPair()
  hub.agents.set('agent-1', keys.publicKey)
  const { identityFile, policyFile } = agentHome({ ROUNDHOUSE_AGENT_HOME: home })
  const { url: hubUrl, hubId } = hub
  const hubPublicKey = hub.keys.publicKey
  writeIdentity(identityFile, { version: 1, agentId: 'agent-1', name: 'desk', hubUrl, hubId, hubPublicKey, ...keys })
  allowFolder(new PolicyStore(policyFile, home, realRoots), home, code)
}
const up = async (...args: string[]) => {
  const before = hub.hellos.length
  const running = await runAgent(home, ['up', '--allow-root', ...args])
  started.push(running)
  await Promise.race([hub.until(() => hub.hellos.length > before && hub.ready), running.said('[')])
  return running
}
const settings = () => ({ backend: 'scripted', workDir: code })
const hanging = (sessionId: string): Command => {
  hub.sessions.set(sessionId, [])
  return {
    commandId: `c-${sessionId}`,
    sessionId,
    cmdSeq: 1,
    author: { userId: 'u1', name: 'Ana' },
    createdAt: 1,
    body: {
      kind: 'session.create',
      settings: settings(),
      prompt: { promptId: `p-${sessionId}`, text: script([{ hang: true }]) },
    },
  }
}
const begin = async (sessionId: string) => {
  await hub.command(hanging(sessionId))
  await hub.until(() => (hub.sessions.get(sessionId) ?? []).some(({ kind }) => kind === 'session_started'))
}

describe('roundhouse-agent', () => {
  it('[STORE-4] joins, allows a folder, runs, is looked at, and ends', async () => {
    const joined = await join()
    expect(joined).toMatchObject({ code: 0, err: '' })
    expect(joined.out).toContain(`Joined ${hub.url} as "desk"`)
    expect(statSync(path.join(home, 'state/identity.json')).mode & 0o777).toBe(0o600)
    expect(await agent(home, ['allow', code])).toMatchObject({
      code: 0,
      out: `Sessions may now run in ${code} and below.\n`,
    })
    expect((await agent(home, ['status'])).code).toBe(1)
    chmodSync(path.join(home, 'state'), 0o755)
    chmodSync(path.join(home, 'state/identity.json'), 0o644)
    const running = await up()
    const modes = ['state', 'state/identity.json', 'state/index.db'].map((name) => statSync(path.join(home, name)).mode)
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o700, 0o600, 0o600])
    const daemon = JSON.parse(readFileSync(path.join(home, 'state/daemon.json'), 'utf8'))
    expect(daemon).toMatchObject({ pid: running.pid, hubUrl: hub.url })
    const status = await agent(home, ['status'])
    expect(status.code).toBe(0)
    expect(status.out).toContain(code)
    running.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
    expect(existsSync(path.join(home, 'state/daemon.json'))).toBe(false)
  })

  it('[T54] keeps the token from another hub', async () => {
    const other = '0'.repeat(64)
    const ran = await agent(home, ['join', hub.url, '--fingerprint', other], hub.token)
    expect(ran.code).toBe(7)
    expect(ran.err).toContain('[HUB_KEY_MISMATCH]')
    expect(hub.tokenUsed).toBe(false)
    expect(existsSync(path.join(home, 'state/identity.json'))).toBe(false)
  })

  it('[T52] [T56] refuses a used token and an empty one', async () => {
    hub.tokenUsed = true
    expect(await join()).toMatchObject({ code: 8 })
    const empty = await agent(home, ['join', hub.url, '--fingerprint', hub.fingerprint], '')
    expect(empty.err).toContain('[ENROLLMENT_INVALID]')
  })

  it('[T24] refuses a state folder that cannot be written, with the fix', async () => {
    joined()
    const state = path.join(home, 'state')
    rmSync(path.join(state, 'sessions'), { recursive: true, force: true })
    writeFileSync(path.join(state, 'sessions'), 'in the way')
    const ran = await agent(home, ['up', '--allow-root'])
    expect(ran.code).toBe(4)
    expect(ran.err).toMatch(/chown -R.*\[STATE_UNWRITABLE\]/)
  })

  it('does not start before it has joined', async () => {
    const ran = await agent(home, ['up', '--allow-root'])
    expect(ran).toMatchObject({ code: 5 })
  })

  it('finds what is missing, and says in one sentence what is wrong with a policy file', async () => {
    const policyFile = path.join(home, 'config/policy.json')
    mkdirSync(path.dirname(policyFile), { recursive: true })
    writeFileSync(policyFile, '{"maxSandbox":"all"}')
    const before = await agent(home, ['doctor'])
    expect(before.code).toBe(1)
    expect(before.out).toContain('!!  This machine has not joined a hub yet.')
    expect(before.out).toMatch(/policy\.json cannot be used \(maxSandbox: .*\), so this machine allows nothing/)
    rmSync(policyFile)
    joined()
    const after = await agent(home, ['doctor'])
    expect(after).toMatchObject({ code: 0 })
    expect(after.out).toContain('has proved its key')
    expect(after.out).toContain('Demo (scripted)')
  })

  it('[POL-1.1] shows the policy, and says by its exit code whether it is sound', async () => {
    joined()
    const sound = await agent(home, ['policy'])
    expect(sound).toMatchObject({ code: 0, err: '' })
    for (const line of [`Folders   ${code}`, 'Bypass    off', 'Project   not trusted', 'Digest    sha256:'])
      expect(sound.out).toContain(line)
    rmSync(code, { recursive: true })
    const broken = await agent(home, ['policy'])
    expect(broken.code).toBe(1)
    expect(broken.out).toContain(`!! [ROOT_MISSING] The root ${code} is not there.`)
  })

  it('[POL-3.6] [POL-1] pauses with the agent down, refuses when it is up; its log shows that, what a program asked, who answered and how that ended, with hub and agent down', async () => {
    joined()
    expect((await agent(home, ['pause'])).out).toContain('Paused: this machine accepts nothing from the hub.')
    const running = await up()
    expect(hub.hellos.at(-1)?.policy.pausedAt).toBeGreaterThan(0)
    expect(await hub.command(hanging(s1))).toMatchObject({
      answer: { error: { code: 'POLICY_DENIED', details: { rule: 'paused' } } },
    })
    expect((await agent(home, ['status'])).out).toContain('Paused    yes')
    expect((await agent(home, ['resume'])).code).toBe(0)
    // The agent says hello anew; what is asked on the connection before it gets no answer.
    await hub.until(() => hub.hellos.at(-1)?.policy.pausedAt === null && hub.ready)
    const asking = script([{ tool: 'Write', input: { file_path: 'secret-name.txt', content: 'x' } }])
    const prompt = { promptId: 'p1', text: asking }
    const command = hanging(s2)
    await hub.command({ ...command, body: { kind: 'session.create', settings: settings(), prompt } })
    const found = (kind: string) => hub.sessions.get(s2)?.find((event) => event.kind === kind)
    await hub.until(() => found('permission_requested') !== undefined)
    const { ask } = JSON.parse(found('permission_requested')?.body ?? '')
    const { requestId, procId, digest } = ask
    const decide = { kind: 'permission.decide', requestId, procId, digest, decision: 'deny' } as const
    await hub.command({ ...command, commandId: 'c2', cmdSeq: undefined, body: decide })
    await hub.until(() => found('permission_resolved') !== undefined)
    expect((await agent(home, ['pause', '--stop'])).out).toContain('Sessions ended: 1.')
    expect(processesOf(s2)).toEqual([])
    running.kill('SIGTERM')
    await running.ended
    await hub.stop()
    const { out } = await agent(home, ['log'])
    const lines = out
      .trim()
      .split('\n')
      .map((line) => line.split(/ {2,}/).slice(1))
    expect(lines).toEqual([
      ['session.create', s1, 'Ana', 'refused (POLICY_DENIED, rule paused)'],
      ['session.create', s2, 'Ana', 'accepted'],
      ['permission.asked', s2, 'Write', 'waits'],
      expect.arrayContaining([s2, 'Ana']),
      expect.arrayContaining([s2, 'Ana']),
    ])
    expect(
      lines
        .slice(3)
        .map(([verb, , , end]) => `${verb} ${end}`)
        .sort(),
    ).toEqual(['permission.decide accepted', 'permission.resolved deny: applied'])
    for (const word of ['hang', 'secret-name']) expect(out).not.toContain(word)
    await hub.start()
  })

  it.skipIf(process.getuid?.() !== 0)('refuses to run as root, in one sentence, unless forced', async () => {
    joined()
    const ran = await agent(home, ['up'])
    expect(ran.code).toBe(1)
    expect(ran.err.trim().split('\n')).toEqual([expect.stringContaining('The agent should not run as root')])
  })
})

describe('signals', () => {
  beforeEach(joined)

  it('SIGTERM leaves the sessions, the next start finds them, and a killed one loses nothing: they can be ended without it', async () => {
    const first = await up()
    await begin(s1)
    first.kill('SIGTERM')
    expect((await first.ended).code).toBe(0)
    expect(processesOf(s1).length).toBeGreaterThan(1)
    const second = await up()
    await second.said('took over 1 running session')
    second.kill('SIGKILL')
    await second.ended
    expect(processesOf(s1).length).toBeGreaterThan(1)
    expect(await agent(home, ['stop', '--sessions'])).toMatchObject({ code: 0, out: 'Ended: 1.\n' })
    expect(processesOf(s1)).toEqual([])
  })

  it('[T25] one starts once per folder, and SIGINT ends the sessions first', async () => {
    const running = await up()
    if (process.getuid?.() === 0) await running.said('running as root')
    const second = await agent(home, ['up', '--allow-root'])
    expect(second.code).toBe(3)
    expect(second.err).toContain('[ALREADY_RUNNING]')
    await begin(s1)
    running.kill('SIGINT')
    expect((await running.ended).code).toBe(0)
    expect(processesOf(s1)).toEqual([])
  })

  variation('SIGTERM ends them as well with --own-sessions', async () => {
    const running = await up('--own-sessions')
    await begin(s1)
    running.kill('SIGTERM')
    expect((await running.ended).code).toBe(0)
    expect(processesOf(s1)).toEqual([])
  })
})
