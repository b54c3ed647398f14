/**
 * The rules that make Gemini CLI ask. By itself it runs commands that it considers harmless, such as `cat` and `grep -r`, and reads
 * files of its folder, also those that the policy of the machine denies by name.
 */
import { asList, asRecord, asText } from '@roundhouse/adapter-kit/read'
import type { AskedCall, GuardRules, HarmlessCall } from './profile'

/** The program applies no judgement of its own to a command if the rule has a pattern. The mode `plan` runs no command. */
const everyCommand = `[[rule]]
toolName = "run_shell_command"
argsPattern = '"command"'
decision = "ask_user"
priority = 999
modes = ["default", "autoEdit"]
`

/** A name may lead to a denied file by a link, so no pattern of names is safe. */
const everyLook = `
[[rule]]
toolName = ["read_file", "read_many_files", "grep_search", "glob", "list_directory"]
decision = "ask_user"
priority = 999
modes = ["default", "autoEdit", "plan"]
`

export const askingRules: GuardRules = {
  text(deny, workDir) {
    const isDenied = deny?.paths.some((path) => path === workDir || path.startsWith(`${workDir}/`))
    return isDenied ? everyCommand + everyLook : everyCommand
  },
  overruledBy: {
    folder:
      process.platform === 'darwin' ? '/Library/Application Support/GeminiCli/policies' : '/etc/gemini-cli/policies',
    ending: '.toml',
  },
}

/** Of its searches it does not say where they look. */
export function harmlessCall({ toolName, input }: AskedCall, workDir: string): HarmlessCall | null {
  const { command, details, locations, title, ...more } = asRecord(input)
  if (Object.keys(more).length > 0) return null
  const [file, ...others] = asList(locations)
  if (toolName === 'read_file' && typeof file === 'string' && others.length === 0) return { reads: file }
  const place = `[current working directory ${workDir}]`
  const said = asText(details) ?? ''
  const isHere = said === place || said.startsWith(`${place} (`)
  return toolName === 'run_shell_command' && typeof command === 'string' && isHere ? {} : null
}
