/**
 * The rules of a session (PERM-12): which tool calls are allowed or denied before anybody is asked. A pattern names a tool, or
 * the commands of a shell tool:
 *
 *     Write   mcp__sums__add   mcp__sums   Bash   Bash(pnpm:*)   Bash(git status)
 */
import { z } from 'zod'
import { mcpTool } from '../adapter/mcp-tool'

const Patterns = z.array(z.string().max(200)).max(200)

export const PermissionConfig = z.object({
  allowPatterns: Patterns.optional(),
  disallowPatterns: Patterns.optional(),
  /** Where no pattern matches. Absent: `prompt`. */
  defaultDecision: z.enum(['allow', 'deny', 'prompt']).optional(),
})
export type PermissionConfig = z.infer<typeof PermissionConfig>

export type ToolPattern =
  | { kind: 'tool'; toolName: string }
  /** Commands of a shell tool, whatever its program calls it: a complete command, or words followed by `:*` or ` *`. */
  | { kind: 'commands'; rule: string }

const SHELL = 'Bash'
const toolForm = /^[A-Za-z][\w.-]*$/
const commandForm = /^Bash\(([^\p{C}]+)\)$/u

/** Null for a pattern that cannot be judged: it is refused, since nobody may rely on it. */
export function readToolPattern(text: string): ToolPattern | null {
  if (toolForm.test(text)) return { kind: 'tool', toolName: text }
  const rule = commandForm.exec(text)?.[1]?.trim()
  if (rule === undefined || rule === '') return null
  if (rule === '*' || rule === ':*') return { kind: 'tool', toolName: SHELL }
  const words = rule.replace(/(?::\*| \*)$/, '')
  return words.trim() === '' || words.includes('*') ? null : { kind: 'commands', rule }
}

/** The pattern that cannot be read, if there is one. */
export const unreadablePattern = ({
  allowPatterns = [],
  disallowPatterns = [],
}: PermissionConfig): string | undefined =>
  [...allowPatterns, ...disallowPatterns].find((pattern) => readToolPattern(pattern) === null)

/** True if something runs by these rules that a person would be asked about otherwise. */
export const allowsUnasked = ({ allowPatterns = [], defaultDecision }: PermissionConfig): boolean =>
  allowPatterns.length > 0 || defaultDecision === 'allow'

/** `isShell`: the tool takes commands. A pattern of an MCP server (`mcp__sums`) names each of its tools. */
export function namesTool(pattern: string, toolName: string, isShell: boolean): boolean {
  const server = mcpTool(toolName)?.server
  return (
    pattern === toolName || (isShell && pattern === SHELL) || (server !== undefined && pattern === `mcp__${server}`)
  )
}
