/**
 * A machine for tests: a home folder, a joined identity, one allowed folder, and daemons that run in this process while
 * their session hosts are real ones. Everything that was started is ended by `dispose`, which fails if anything is left.
 */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createScriptedAdapter } from '@roundhouse/adapter-scripted'
import { buildPlayer } from '@roundhouse/adapter-testkit'
import type { Command, CommandBody } from '@roundhouse/backend-types'
import { makeKeyPair } from '@roundhouse/keys'
import { Daemon } from '../daemon/daemon'
import type { DaemonOptions } from '../daemon/daemon-options'
import { ManifestSources } from '../daemon/looks/manifest-sources'
import { agentHome } from '../files/agent-home'
import { writeIdentity } from '../identity/identity-file'
import { PolicyStore } from '../policy/policy-store'
import { allowFolder, realRoots } from '../policy/real-roots'
import { markReader } from '../processes/mark-reader'
import { reapSession } from '../reaper/reap'
import { removeLeft } from '../reaper/remove-left'
import { bundle } from './bundle'
import type { FakeHub } from './fake-hub'
import { processesOf } from './processes-of'

const LEAVE_LIMIT_MS = 5_000

let built: Promise<[string, string, string, string, string]> | undefined
/** Player, session host, reaper, looker and its thread, bundled once per test file. */
const programs = (): Promise<[string, string, string, string, string]> => {
  const own = [
    'session-host/main.ts',
    'reaper/main.ts',
    'daemon/looks/look-main.ts',
    'daemon/looks/look-thread.ts',
  ] as const
  built ??= Promise.all([buildPlayer(), bundle(own[0]), bundle(own[1]), bundle(own[2]), bundle(own[3])])
  return built
}

export class AgentBench {
  readonly root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'rh-')))
  readonly home = agentHome({ ROUNDHOUSE_AGENT_HOME: path.join(this.root, 'agent') })
  readonly workDir = path.join(this.root, 'code')
  readonly policy = new PolicyStore(this.home.policyFile, this.home.home, realRoots)
  readonly lines: string[] = []
  readonly revoked: string[] = []
  private watchers: Array<{ test: () => boolean; resolve: () => void }> = []
  private commandCount = 0
  private readonly cmdSeqs = new Map<string, number>()

  constructor(private readonly hub: FakeHub) {
    const keys = makeKeyPair()
    hub.agents.set('agent-1', keys.publicKey)
    mkdirSync(this.workDir)
    writeIdentity(this.home.identityFile, {
      version: 1,
      agentId: 'agent-1',
      name: 'desk',
      hubUrl: hub.url,
      hubId: hub.hubId,
      hubPublicKey: hub.keys.publicKey,
      ...keys,
    })
    allowFolder(this.policy, this.home.home, this.workDir)
  }

  async daemon(fields: Partial<DaemonOptions> = {}): Promise<Daemon> {
    const [playerPath, hostEntry, reaperEntry, lookerEntry, lookThreadEntry] = await programs()
    const daemon = new Daemon({
      home: this.home,
      env: { ...process.env, XDG_RUNTIME_DIR: undefined },
      software: 'roundhouse-agent test',
      hostEntry,
      reaperEntry,
      lookerEntry,
      lookThreadEntry,
      playerPath,
      manifestSources: new ManifestSources(
        [
          {
            kind: 'scripted',
            label: 'scripted',
            read: () => createScriptedAdapter({ env: {}, scratchDir: this.root }, { playerPath }).getManifest(),
          },
        ],
        (kind, { label }) => ({ kind, label, read: () => Promise.reject(new Error('The program was not asked.')) }),
      ),
      idleMs: 600_000,
      log: (line) => {
        this.lines.push(line)
        this.look()
      },
      onRevoked: (reason) => {
        this.revoked.push(reason)
        this.look()
      },
      random: () => 0,
      ...fields,
    })
    await daemon.start()
    return daemon
  }

  /** Resolves when the condition holds; looked at when the daemon reports something. */
  until(test: () => boolean): Promise<void> {
    if (test()) return Promise.resolve()
    return new Promise((resolve) => this.watchers.push({ test, resolve }))
  }

  private look(): void {
    for (const { resolve } of this.watchers.filter(({ test }) => test())) resolve()
  }

  command(sessionId: string, body: CommandBody, ordered = true): Command {
    this.commandCount += 1
    const cmdSeq = (this.cmdSeqs.get(sessionId) ?? 0) + 1
    if (ordered) this.cmdSeqs.set(sessionId, cmdSeq)
    return {
      commandId: `c${this.commandCount}`,
      sessionId,
      ...(ordered ? { cmdSeq } : {}),
      author: { userId: 'u1', name: 'Ana' },
      createdAt: 1,
      body,
    }
  }

  create(sessionId: string, prompt?: string): Command {
    this.hub.sessions.set(sessionId, [])
    return this.command(sessionId, {
      kind: 'session.create',
      settings: { backend: 'scripted', workDir: this.workDir },
      ...(prompt === undefined ? {} : { prompt: { promptId: `p-${sessionId}`, text: prompt } }),
    })
  }

  prompt(sessionId: string, text: string): Command {
    return this.command(sessionId, { kind: 'prompt.send', promptId: `p${this.commandCount}`, text })
  }

  sessionIds(): string[] {
    return readdirSync(this.home.sessions)
  }

  /** Ends what a failed test left, and says what it was. Hosts that rest and their reapers are gone a moment later. */
  async dispose(): Promise<void> {
    const left: string[] = []
    const limit = Date.now() + LEAVE_LIMIT_MS
    for (const sessionId of this.sessionIds()) {
      const count = () => processesOf(sessionId).length
      while (count() > 0 && Date.now() < limit) await delay(20)
      const found = count()
      if (found > 0) left.push(`${found} processes of ${sessionId}`)
      if (found > 0)
        await reapSession(path.join(this.home.sessions, sessionId), sessionId, {
          takeLeft: removeLeft,
          readMarks: markReader({ entry: (await programs())[2] }),
          graceMs: 100,
        })
    }
    rmSync(this.root, { recursive: true, force: true })
    if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}; the daemons said:\n${this.lines.join('\n')}`)
  }
}
