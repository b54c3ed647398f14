/**
 * Loads the one adapter that this session needs when it is first used, because each adapter costs memory for the host's
 * whole life.
 */
import { type AdapterContext, type BackendAdapter, CodedError } from '@roundhouse/backend-types'
import { adapters, loadNamed } from '../../backends/adapters'
import type { LaunchSpec, NamedProgram } from '../../host-contract/launch-spec'
import type { Redactor } from '../../redact/redactor'
import { describingShown } from './shown-tool'

export class AdapterLoader {
  private loaded: Promise<BackendAdapter> | null = null

  constructor(
    private readonly launch: LaunchSpec,
    private readonly env: Record<string, string>,
    private readonly scratchDir: string,
    private readonly redact: Redactor,
    private readonly ports: Pick<AdapterContext, 'mayLeave' | 'markedBy' | 'startWaits'> = {},
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
    const { program } = this.launch.backends[backend] ?? {}
    const wanted = { kind: backend, program }
    const adapter = await loadAdapter(wanted, this.contextFor(backend), this.launch.playerPath)
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
      ...(this.launch.modelsFolder === undefined ? {} : { modelsFolder: this.launch.modelsFolder }),
      ...(binaryPath === undefined ? {} : { binaryPath }),
      ...(trustProjectConfig === undefined ? {} : { trustProjectConfig }),
      deny: { tools: denyTools, paths: [...denyPaths, ...agentPlaces], inSandbox: denyInSandbox === true },
    }
  }
}

/** Also used only to learn what a backend can do. Throws `BACKEND_UNAVAILABLE`. */
export async function loadAdapter(
  { kind, program }: { kind: string; program?: NamedProgram | undefined },
  context: AdapterContext,
  playerPath: string | undefined,
): Promise<BackendAdapter> {
  const row = adapters.find((one) => one.kind === kind)
  if (row) return row.load(context, playerPath)
  if (program) return loadNamed(kind, program, context)
  throw new CodedError('BACKEND_UNAVAILABLE', `There is no ${kind} on this machine.`)
}
