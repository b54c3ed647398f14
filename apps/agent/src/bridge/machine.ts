/** This machine for sessions without a hub, of the bridge and of `run`: its policy, its environment, its programs, and its own places. */
import path from 'node:path'
import { type AdapterContext, type BackendAdapter, CodedError, type DirectCaller } from '@roundhouse/backend-types'
import { type AdapterRow, adapters, loadNamed } from '../backends/adapters'
import type { AgentHome } from '../files/agent-home'
import { agentPlaces } from '../files/agent-places'
import { realPlace } from '../files/real-place'
import { scratchFolder } from '../files/scratch-folder'
import { SocketFolders } from '../files/socket-folders'
import { ownerEnvironment } from '../policy/environment'
import { PauseSwitch } from '../policy/pause'
import type { Policy } from '../policy/policy'
import { PolicyStore } from '../policy/policy-store'
import { namedProgram } from '../policy/programs'
import { realRoots } from '../policy/real-roots'
import { isInRange } from '../policy/version-range'
import { markReader, processesMarked } from '../processes/mark-reader'
import type { Redactor } from '../redact/redactor'
import type { MachineRules } from './rules/create-rules'
import type { ProgramFolders, ProgramPlace } from './session/program-place'

export interface MachineOptions {
  home: AgentHome
  env: Record<string, string | undefined>
  reaperEntry: string
  playerPath: string
  redact: Redactor
}

export class Machine {
  readonly folders: ProgramFolders
  private readonly store: PolicyStore
  private readonly pause: PauseSwitch
  private readonly readMarks
  private places: { policy: Policy; own: readonly string[] } | null = null

  constructor(private readonly options: MachineOptions) {
    const { home, reaperEntry } = options
    this.store = new PolicyStore(home.policyFile, home.home, realRoots)
    this.pause = new PauseSwitch(home.pauseFile)
    this.readMarks = markReader({ entry: reaperEntry })
    this.folders = { bridges: home.bridges, scratch: scratchFolder(home), reaperEntry, readMarks: this.readMarks }
  }

  /** As the files say now. Throws `POLICY_DENIED` where the policy cannot be understood: it allows nothing. */
  rules(): MachineRules {
    const policy = this.store.current()
    return {
      ...policy,
      paused: this.pause.since() !== null,
      agentPlaces: this.ownPlaces(policy),
      ownCommand: 'roundhouse-agent',
      isHere: true,
    }
  }

  /** Of this release, or one that the policy names. Throws `BACKEND_UNAVAILABLE`. */
  requireBackend(kind: string): AdapterRow {
    const row = adapters.find((one) => one.kind === kind)
    if (row) return row
    const programs = this.store.current().programs ?? {}
    const rule = Object.hasOwn(programs, kind) ? programs[kind] : undefined
    if (rule) {
      const program = namedProgram(kind, rule)
      return { kind, label: program.label, load: (context) => loadNamed(kind, program, context) }
    }
    throw new CodedError('BACKEND_UNAVAILABLE', `There is no ${kind.slice(0, 64)} on this machine.`)
  }

  /** With `direct`, programs that speak Claude's language give their own frames (`AdapterContext.direct`). */
  load(row: AdapterRow, place: ProgramPlace, direct?: DirectCaller): Promise<BackendAdapter> {
    return row.load(this.contextFor(row.kind, place, direct), this.options.playerPath)
  }

  /** Why the version that is installed is not allowed, in a sentence; undefined where the policy names none, or it fits. */
  async wrongVersion({ kind, label }: AdapterRow, adapter: BackendAdapter): Promise<string | undefined> {
    const range = this.store.current().backends?.[kind]?.versions
    if (range === undefined) return undefined
    const { installed, version } = await adapter.getManifest()
    if (!installed || isInRange(version ?? '', range)) return undefined
    return `${label} is ${version ?? 'of an unknown version'}; this machine's policy allows ${range}.`
  }

  private contextFor(kind: string, place: ProgramPlace, direct: DirectCaller | undefined): AdapterContext {
    const policy = this.store.current()
    const { path: binaryPath, denyInSandbox } = policy.backends?.[kind] ?? {}
    const { roots, trustProjectConfig, denyTools, denyPaths } = policy
    return {
      env: { ...ownerEnvironment(this.options.env, policy.envAllow), ...place.marks },
      scratchDir: place.scratchDir,
      modelsFolder: this.options.home.modelsFolder,
      roots,
      trustProjectConfig,
      hideSecrets: (text) => this.options.redact(text).text,
      mayLeave: (folders) => place.mayLeave(folders),
      markedBy: (entries) => processesMarked(this.readMarks, entries),
      startWaits: (why) => {
        if (why !== null) console.error(why)
      },
      ...(direct && { direct }),
      ...(binaryPath === undefined ? {} : { binaryPath }),
      deny: { tools: denyTools, paths: [...denyPaths, ...this.ownPlaces(policy)], inSandbox: denyInSandbox === true },
    }
  }

  private ownPlaces(policy: Policy): readonly string[] {
    if (this.places?.policy !== policy) {
      const { home, env, reaperEntry } = this.options
      const hubDataDir = env.ROUNDHOUSE_DATA_DIR ? realPlace(path.resolve(env.ROUNDHOUSE_DATA_DIR)) : undefined
      const own = agentPlaces(home, {
        socketFolders: new SocketFolders(home, env).all,
        programDir: path.dirname(reaperEntry),
        hubDataDir,
        roots: policy.roots,
      })
      this.places = { policy, own }
    }
    return this.places.own
  }
}
