/** The place of this session's tools, and what a program gets so that it finds them. */
import { randomBytes } from 'node:crypto'
import { type Capabilities, isOwnTool, isSupported, OWN_SERVER, type SpawnOptions } from '@roundhouse/backend-types'
import { FOLDER_MARK, HOST_MARK, type LaunchSpec, SESSION_MARK } from '../../host-contract/launch-spec'
import { placeText, TOOLS_VARIABLE, type ToolsPlace } from '../../tool-contract/place'

/** By these the processes of a session are found. A program may start a server without its own environment. */
const marks = [SESSION_MARK, HOST_MARK, FOLDER_MARK]

export class OwnPlace {
  /** Nobody listens otherwise, and programs get nothing. */
  isOpen = false
  readonly place: ToolsPlace

  constructor(
    private readonly tools: NonNullable<LaunchSpec['tools']>,
    private readonly env: Readonly<Record<string, string>>,
  ) {
    this.place = { socketPath: tools.socketPath, key: randomBytes(32).toString('hex') }
  }

  /** Beside what its session asks for. A program that takes no server has the command line. */
  spawnOptions(capabilities: Capabilities): Pick<SpawnOptions, 'env' | 'mcpServers'> {
    if (!this.isOpen) return {}
    const env = { [TOOLS_VARIABLE]: placeText(this.place) }
    if (!isSupported(capabilities, 'accepts_mcp_server_spec')) return { env }
    const marked = marks.flatMap((name) => (this.env[name] === undefined ? [] : [[name, this.env[name]]]))
    const server = {
      command: process.execPath,
      args: [this.tools.entry],
      env: { ...Object.fromEntries(marked), ...env },
    }
    return { env, mcpServers: { [OWN_SERVER]: server } }
  }

  /** Nobody has to be asked about these: the host answers them. */
  hasTool(toolName: string, capabilities: Capabilities): boolean {
    return this.isOpen && isSupported(capabilities, 'accepts_mcp_server_spec') && isOwnTool(toolName)
  }
}
