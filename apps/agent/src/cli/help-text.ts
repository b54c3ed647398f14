const helpText = `roundhouse-agent: lets a Roundhouse hub run coding agents on this machine

  join <url> --fingerprint <hex> [--token-file <file>] [--name <name>]
      Joins a hub. Reads the token from the file, from a pipe, or from a prompt; never from the command line.
      --plain-http allows an address without encryption. --replace leaves the current hub,
      or joins it again after it was set up again with another key. Stop a running agent first.
      A name that was set with the token comes before --name.
  allow <folder>
      Lets sessions run in that folder and below. No folder is allowed by default.
  up [--own-sessions] [--idle-ms <n>] [--allow-root]
      Runs the agent in the foreground. Ctrl-C ends its sessions; SIGTERM leaves them for the next start,
      unless --own-sessions.
  status
      Shows what runs, and which hub it belongs to.
  doctor
      Checks this machine and reports what is missing.
  audit-heads
      Prints the newest rows of the hub's audit log that this machine has, signed by the hub, for: npm run audit:check -- --heads FILE
  rotate-key
      Replaces the machine's key; the old key signs the new one. The machine stays the same and gains no rights.
  policy
      Shows what this machine allows, and checks its policy file. docs/policy.md lists every key.
  pause [--stop]
      Accepts nothing from the hub, even after a restart. Running turns continue, unless --stop.
  resume
      Accepts requests from the hub again.
  rules [revoke <id>]
      Lists what runs without asking in a folder because a person chose "Always allow", or ends one of these rules.
  log [--follow] [--json]
      Shows the hub's requests, who made them, and their results; works while hub and agent are down.
  bridge [--backend <name>] [--callback-ms <n>]
      Runs sessions for the program that started it, without a hub: JSON lines on stdin and stdout, logs on stderr.
      The policy of this machine holds. It ends with its client. docs/bridge.md lists every message.
  run <prompt>|- [--backend <name>] [--folder <path>] [--model <name>] [--ask] [--json]
      Runs one prompt without a hub, in the folder (default: this one); with - it reads the prompt from stdin. What the program
      says goes to stdout, or its events as JSON lines with --json; everything else goes to stderr. The policy of this machine
      holds. What the program asks for is denied; with --ask the terminal asks you. Ctrl-C stops it, and no process is left.
      Exit code: 0 if it did what it was asked, 1 if not, 2 for a wrong command, 130 or 143 after Ctrl-C or SIGTERM.
  tools
      Inside a session: an MCP server on stdin and stdout, by which its program tells where it stands, and asks.
  publish event|phase|complete|ask|commands|send|spawn|wait|read <json>
      Inside a session: the same tools, one at a time, for programs that take no MCP server. Without <json> it is read
      from stdin. Prints the answer as JSON. docs/program-tools.md lists what each takes.
  subscribe [<pattern>…] [--after <offset>] [--name <name>] [--hub <url>] [--token-file <file>] [--plain-http]
      Prints messages of a hub's bus, one line of JSON each, and goes on where it was after a break. Without --after it
      begins with what is published from now on. Ctrl-C ends it. docs/bus.md lists topics and patterns.
  publish message <json> [--hub <url>] [--token-file <file>] [--plain-http]
      Outside of a session: publishes a message on a hub's bus. Without <json> it reads one message from each line of stdin.
      Prints a line for each. The hub is --hub or ROUNDHOUSE_HUB; the token is in the file, or in ROUNDHOUSE_TOKEN.
  stop --sessions
      Ends every session of this machine, whether or not the agent runs.

  All data is in ~/.roundhouse-agent, or in the folder that ROUNDHOUSE_AGENT_HOME names.
`

/** Between the first line and the last one. A command begins with two spaces and its name; what it does is indented further. */
const commands = (helpText.split('\n\n')[1] ?? '').split(/\n(?= {2}[a-z])/)

/** What `roundhouse-agent --help` prints, or `roundhouse-agent <command> --help`. */
export function helpOn(command?: string): string {
  const own = commands.filter((one) => /^ {2}([a-z-]+)/.exec(one)?.[1] === command)
  return (own.length > 0 ? own.join('\n') : helpText).trimEnd()
}
