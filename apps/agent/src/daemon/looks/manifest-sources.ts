/** The backends to ask: those of this release, and the programs that the policy names now. */
import type { BackendManifestEntry } from '@roundhouse/backend-types'
import type { NamedProgram } from '../../host-contract/launch-spec'
import type { Policy } from '../../policy/policy'
import { namedProgram } from '../../policy/programs'

export interface ManifestSource {
  kind: string
  label: string
  /** Absent: every version counts as tested. */
  testedVersions?: readonly string[]
  /** A session may leave its program's models here. */
  modelsFile?: string
  /** `binaryPath`: the program that the policy pins, if any. `envAllow`: from the policy. */
  read(binaryPath: string | undefined, envAllow: readonly string[]): Promise<BackendManifestEntry>
}

type ProgramSource = (kind: string, program: NamedProgram) => ManifestSource

export class ManifestSources {
  /** By what the policy says of each. One that does not answer is not asked twice at once, so it is kept while it is named. */
  private named = new Map<string, ManifestSource>()

  constructor(
    private readonly builtIn: readonly ManifestSource[],
    private readonly sourceOf: ProgramSource,
  ) {}

  /** The backends of this release. */
  get kinds(): string[] {
    return this.builtIn.map(({ kind }) => kind)
  }

  of({ programs = {} }: Pick<Policy, 'programs'>): readonly ManifestSource[] {
    const named = Object.entries(programs).map(([kind, rule]): [string, ManifestSource] => {
      const program = namedProgram(kind, rule)
      const key = JSON.stringify([kind, program])
      return [key, this.named.get(key) ?? this.sourceOf(kind, program)]
    })
    this.named = new Map(named)
    return [...this.builtIn, ...this.named.values()]
  }
}
