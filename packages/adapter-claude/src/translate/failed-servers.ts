/** MCP servers that did not start: each `init` names them all, and each is told once. */
import { type Frame, recordsAt, textAt } from '../wire/frames'

export class FailedServers {
  private readonly told = new Set<string>()

  /** Those that are new. */
  newIn(init: Frame): string[] {
    const failed = recordsAt(init, 'mcp_servers').filter((server) => textAt(server, 'status') === 'failed')
    const names = failed.flatMap((server) => textAt(server, 'name') ?? []).filter((name) => !this.told.has(name))
    for (const name of names) this.told.add(name)
    return names
  }
}
