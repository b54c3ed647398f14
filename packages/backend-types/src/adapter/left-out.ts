/** Describes the configuration of a repository that the machine's policy left out, as one line of the transcript. Pure. */
import type { BackendOutput } from './output'

export interface LeftOut {
  /** Relative to the folder of the session. */
  path: string
  /** What it would have brought: `hooks`, `MCP servers`. */
  what: string
}

/** Null where nothing was left out. Told with a new conversation, not each time that it is resumed. */
export function leftOutOutput(found: readonly LeftOut[]): BackendOutput | null {
  if (found.length === 0) return null
  const names = found.map(({ path, what }) => `${what} (${path})`).join(', ')
  const message = `Not loaded from this repository: ${names}. The policy of the machine lets it in with trustProjectConfig.`
  return {
    kind: 'system',
    subtype: 'project_config_left_out',
    data: { message, policyKey: 'trustProjectConfig', found },
  }
}
