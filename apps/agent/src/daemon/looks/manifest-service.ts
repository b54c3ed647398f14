/**
 * The capabilities of this machine's backends. All adapters are asked at once, for ten seconds at most. The result is kept
 * until somebody asks for a new one, the policy changes, a session leaves other models, or a pinned program's file changes. A backend that does not answer
 * (FLOW-7), or whose version the policy does not allow, is listed as not installed, with the reason. A backend that did not
 * answer is asked again at growing intervals. Options that the policy refuses are left out.
 */
import {
  type AgentManifestPayload,
  type BackendManifestEntry,
  type DeclaredCapabilities,
  isUnanswered,
  testedInstead,
} from '@roundhouse/backend-types'
import { fittingManifest } from '@roundhouse/delivery'
import { offeredBy } from '../../policy/offered'
import { allowsBackend, type Policy, policyDigest } from '../../policy/policy'
import { isInRange } from '../../policy/version-range'
import type { FileStat } from './looks'
import type { ManifestSource, ManifestSources } from './manifest-sources'

const MANIFEST_TIMEOUT_MS = 10_000
/** Time until a backend that did not answer is asked again. Doubles each time. */
const AGAIN_MS = 10_000
const MOST_AGAIN_MS = 10 * 60_000

export class ManifestService {
  /** As the programs reported it, without the policy's judgement of their versions. */
  private found: BackendManifestEntry[] = []
  private generatedAt: number
  private stamps = ''
  private running: Promise<AgentManifestPayload> | null = null
  private isAsking = false
  /** The repeated look at backends that did not answer. */
  private again: Promise<unknown> | null = null
  private againAt = Number.POSITIVE_INFINITY
  private pauseMs = AGAIN_MS

  /** `stats` rejects if a file's folder does not answer. */
  constructor(
    private readonly sources: Pick<ManifestSources, 'of'>,
    private readonly policy: () => Policy,
    private readonly stats: (files: string[]) => Promise<Record<string, FileStat | null>>,
    private readonly now: () => number,
    private readonly timeoutMs = MANIFEST_TIMEOUT_MS,
    private readonly clock = () => performance.now(),
  ) {
    this.generatedAt = now()
  }

  current(): AgentManifestPayload {
    const wrong = new Map(Object.entries(this.wrongVersions()))
    const policy = this.policy()
    // What the policy does not name any more is no backend, also before the others have answered again.
    const backends = this.sources.of(policy).flatMap((source) => {
      const found = this.found.find(({ kind }) => kind === source.kind)
      if (!found) return []
      const entry = offeredBy(policy, found)
      const unavailableReason = wrong.get(entry.kind)
      if (unavailableReason !== undefined) return [{ ...entry, installed: false, unavailableReason }]
      return [withTested(entry, source)]
    })
    return fittingManifest({ manifestVersion: 1, generatedAt: new Date(this.generatedAt).toISOString(), backends })
  }

  /** For each backend whose version is outside the policy's range, the reason in a sentence. */
  wrongVersions(): Readonly<Record<string, string>> {
    const policy = this.policy()
    return Object.fromEntries(this.found.flatMap((entry) => versionFault(entry, policy)))
  }

  /** True if a program with limited versions has changed since it was asked, or a session left other models. */
  async isStale(): Promise<boolean> {
    if (this.running !== null || this.isAsking) return false
    this.isAsking = true
    try {
      const stamps = await this.stampsNow()
      return this.running === null && stamps !== null && stamps !== this.stamps
    } finally {
      this.isAsking = false
    }
  }

  /** Looks again. Other callers meanwhile share the look. */
  refresh(): Promise<AgentManifestPayload> {
    this.pauseMs = AGAIN_MS
    this.running ??= Promise.resolve(this.again)
      .then(() => this.look(() => true))
      .finally(() => {
        this.running = null
      })
    return this.running
  }

  /** Looks again if that is due, or returns null. */
  async refreshIfDue(): Promise<AgentManifestPayload | null> {
    if (await this.isStale()) return this.refresh()
    if (this.running !== null || this.again !== null || this.clock() < this.againAt) return null
    this.pauseMs = Math.min(2 * this.pauseMs, MOST_AGAIN_MS)
    const isSilent = ({ kind }: ManifestSource) => this.found.some((one) => one.kind === kind && one.unanswered)
    const look = this.look(isSilent).finally(() => {
      this.again = null
    })
    this.again = look
    return look
  }

  private async look(isAsked: (source: ManifestSource) => boolean): Promise<AgentManifestPayload> {
    const policy = this.policy()
    const sources = this.sources.of(policy)
    const read = await Promise.all(sources.filter(isAsked).map((source) => this.readOne(source, policy)))
    const all = [...read, ...this.found]
    this.found = sources.flatMap(({ kind }) => all.find((one) => one.kind === kind) ?? [])
    this.againAt = this.found.some((one) => one.unanswered) ? this.clock() + this.pauseMs : Number.POSITIVE_INFINITY
    this.generatedAt = this.now()
    this.stamps = (await this.stampsNow()) ?? 'unknown'
    // Whoever asked for a look because the policy changed meanwhile shares this one.
    return policyDigest(this.policy()) === policyDigest(policy) ? this.current() : this.look(() => true)
  }

  /** Null: a program's folder does not answer. */
  private async stampsNow(): Promise<string | null> {
    const policy = this.policy()
    const { backends = {} } = policy
    const modelsFiles = this.sources.of(policy).flatMap(({ modelsFile }) => modelsFile ?? [])
    const limited = this.found.filter(({ kind }) => backends[kind]?.versions !== undefined)
    const files = [...limited.flatMap(({ binaryPath }) => binaryPath ?? []), ...modelsFiles]
    try {
      const stats = files.length === 0 ? {} : await this.stats(files)
      const programs = limited.map(({ kind, binaryPath = '' }) => `${kind} ${binaryPath} ${stampOf(stats[binaryPath])}`)
      return [...programs, ...modelsFiles.map((file) => `${file} ${stampOf(stats[file])}`)].join('\n')
    } catch {
      return null
    }
  }

  private async readOne(source: ManifestSource, policy: Policy): Promise<BackendManifestEntry> {
    if (!allowsBackend(policy, source.kind)) return unavailable(source, "Not in this machine's policy.")
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<BackendManifestEntry>((resolve) => {
      timer = setTimeout(
        () => resolve(unavailable(source, 'The program did not answer in time.', true)),
        this.timeoutMs,
      )
    })
    const entry = source.read(policy.backends?.[source.kind]?.path, policy.envAllow).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : 'The program could not be queried.'
      return unavailable(source, reason, isUnanswered(error))
    })
    return Promise.race([entry, late]).finally(() => clearTimeout(timer))
  }
}

function withTested(
  entry: BackendManifestEntry,
  { testedVersions }: Pick<ManifestSource, 'testedVersions'>,
): BackendManifestEntry {
  const testedWith = entry.installed ? testedInstead(testedVersions, entry.version) : undefined
  return testedWith === undefined ? entry : { ...entry, testedWith }
}

const stampOf = (stat: FileStat | null | undefined): string =>
  stat ? `${stat.inode} ${stat.bytes} ${stat.changedAt}` : 'absent'

function versionFault({ kind, label, installed, version }: BackendManifestEntry, policy: Policy): [string, string][] {
  const range = policy.backends?.[kind]?.versions
  if (range === undefined || !installed || isInRange(version ?? '', range)) return []
  return [[kind, `${label} is ${version ?? 'of an unknown version'}; this machine's policy allows ${range}.`]]
}

function unavailable(
  { kind, label }: ManifestSource,
  unavailableReason: string,
  unanswered = false,
): BackendManifestEntry {
  return {
    kind,
    label,
    installed: false,
    unavailableReason,
    ...(unanswered ? { unanswered } : {}),
    models: [],
    modes: [],
    sandboxes: [],
    capabilities: noCapabilities(label),
  }
}

const noCapabilities = (humanLabel: string): DeclaredCapabilities => ({
  supportsMessageInjection: false,
  supportsSessionResume: false,
  supportsToolPlugins: false,
  needsBaseInstructions: false,
  needsPermissionConfig: false,
  supportsCodeIntelligenceEnforcement: false,
  emitsSubagentEvents: false,
  supportsReasoningEffort: false,
  acceptsAllowedToolsList: false,
  acceptsMcpServerSpec: false,
  humanLabel,
  supportsInterrupt: false,
  supportsPermissions: false,
  supportsEditedInput: false,
  supportsDenyReason: false,
  enforcesSandbox: false,
  reportsCost: false,
})
