/**
 * Loads the one adapter that this session needs when it is first used, because each adapter costs memory for the host's
 * whole life.
 */
import { type AdapterContext, type BackendAdapter, CodedError } from '@roundhouse/backend-types'
import { adapters } from '../../backends/adapters'
import type { LaunchSpec } from '../../host-contract/launch-spec'
import type { Redactor } from '../../redact/redactor'
import { describingShown } from './shown-tool'

export class AdapterLoader {
  private loaded: Promise<BackendAdapter> | null = null

  constructor(
    private readonly launch: LaunchSpec,
    private readonly env: Record<string, string>,
    private readonly scratchDir: string,
    private readonly redact: Redactor,
    private readonly ports: Pick<AdapterContext, 'mayLeave' | 'markedBy'> = {},
  ) {}

  get(backend: string): Promise<BackendAdapter> {
    if (!this.loaded) {
      this.loaded = this.load(backend)
      // An adapter that failed to load may be there the next time.
      this.loaded.catch(() => {
        this.loaded = null
      })
    }
    return this.loaded
  }

  private async load(backend: string): Promise<BackendAdapter> {
    const adapter = await loadAdapter(backend, this.contextFor(backend), this.launch.playerPath)
    return describingShown(adapter, this.redact)
  }

  private contextFor(backend: string): AdapterContext {
    const { binaryPath, denyInSandbox } = this.launch.backends[backend] ?? {}
    const { roots, trustProjectConfig, denyTools = [], denyPaths = [], agentPlaces = [] } = this.launch.policy
    return {
      env: this.env,
      scratchDir: this.scratchDir,
      roots,
      hideSecrets: (text) => this.redact(text).text,
      ...this.ports,
      ...(binaryPath === undefined ? {} : { binaryPath }),
      ...(trustProjectConfig === undefined ? {} : { trustProjectConfig }),
      deny: { tools: denyTools, paths: [...denyPaths, ...agentPlaces], inSandbox: denyInSandbox === true },
    }
  }
}

/** Also used only to learn what a backend can do. Throws `BACKEND_UNAVAILABLE`. */
export async function loadAdapter(
  backend: string,
  context: AdapterContext,
  playerPath: string | undefined,
): Promise<BackendAdapter> {
  const row = adapters.find(({ kind }) => kind === backend)
  if (row) return row.load(context, playerPath)
  throw new CodedError('BACKEND_UNAVAILABLE', `There is no ${backend} on this machine.`)
}
