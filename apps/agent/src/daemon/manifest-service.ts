/**
 * What the backends of this machine can do: asked of all adapters at once, none longer than ten seconds, kept until
 * somebody asks for a fresh look. A backend that does not answer is listed as not installed, with the reason.
 */
import type { AgentManifestPayload, BackendManifestEntry, Capabilities } from '@roundhouse/backend-types'
import type { Policy } from '../policy/policy'

export interface ManifestSource {
  kind: string
  label: string
  /** `binaryPath`: where the policy pins one. */
  read(binaryPath: string | undefined): Promise<BackendManifestEntry>
}

export const MANIFEST_TIMEOUT_MS = 10_000

export class ManifestService {
  private payload: AgentManifestPayload
  private running: Promise<AgentManifestPayload> | null = null

  constructor(
    private readonly sources: readonly ManifestSource[],
    private readonly policy: () => Policy,
    private readonly now: () => number,
    private readonly timeoutMs = MANIFEST_TIMEOUT_MS,
  ) {
    this.payload = this.payloadOf([])
  }

  current(): AgentManifestPayload {
    return this.payload
  }

  /** Looks again. Callers that ask meanwhile get the same look. */
  refresh(): Promise<AgentManifestPayload> {
    this.running ??= this.look().finally(() => {
      this.running = null
    })
    return this.running
  }

  private async look(): Promise<AgentManifestPayload> {
    const policy = this.policy()
    this.payload = this.payloadOf(await Promise.all(this.sources.map((source) => this.readOne(source, policy))))
    return this.payload
  }

  private async readOne(source: ManifestSource, policy: Policy): Promise<BackendManifestEntry> {
    const allowed = policy.backends === undefined || Object.hasOwn(policy.backends, source.kind)
    if (!allowed) return unavailable(source, "Not in this machine's policy.")
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<BackendManifestEntry>((resolve) => {
      timer = setTimeout(() => resolve(unavailable(source, 'It did not answer in time.')), this.timeoutMs)
    })
    const entry = source
      .read(policy.backends?.[source.kind]?.path)
      .catch((error: unknown) => unavailable(source, error instanceof Error ? error.message : 'It could not be asked.'))
    return Promise.race([entry, late]).finally(() => clearTimeout(timer))
  }

  private payloadOf(backends: BackendManifestEntry[]): AgentManifestPayload {
    return { manifestVersion: 1, generatedAt: new Date(this.now()).toISOString(), backends }
  }
}

function unavailable({ kind, label }: ManifestSource, unavailableReason: string): BackendManifestEntry {
  return {
    kind,
    label,
    installed: false,
    unavailableReason,
    models: [],
    modes: [],
    sandboxes: [],
    capabilities: noCapabilities(label),
  }
}

const noCapabilities = (humanLabel: string): Capabilities => ({
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
