/** The player's tools. They really act where that is cheap and safe, so that a story can see that a denied call did not. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { ToolOutcome } from '../script/frames'
import { isRecord, type ToolCall } from '../script/script'
import { placeToRead, placeToWrite } from './files'
import { runShell, type Shell } from './shell'

const changing = new Set(['Bash', 'Write', 'Edit', 'exec_command'])
/** They change nothing, and always ask. */
const questions = new Set(['AskUserQuestion', 'AskByForm', 'ExitPlanMode'])

/** Whether a call would change something: it asks by default, and plan mode leaves it out. */
export function changesSomething(tool: string): boolean {
  return changing.has(tool) || tool.startsWith('mcp__')
}

/** Whether a call asks in this mode. */
export function needsLeave(tool: string, mode: string): boolean {
  return changesSomething(tool) && !(mode === 'acceptEdits' && (tool === 'Write' || tool === 'Edit'))
}

export const asksByItself = (tool: string): boolean => questions.has(tool)

/** `mcp__server__tool` exists only where that server is configured. */
export function toolExists(tool: string, mcpServers: string[], disallowed: string[]): boolean {
  if (disallowed.includes(tool)) return false
  const server = /^mcp__(.+?)__/.exec(tool)?.[1]
  return server === undefined || mcpServers.includes(server)
}

export async function runTool(shell: Shell, call: ToolCall, input: unknown): Promise<ToolOutcome> {
  const fields = isRecord(input) ? input : {}
  switch (call.name) {
    case 'Bash':
      return scripted(call, await runShell(shell, String(fields.command ?? ''), scriptedText(call)))
    case 'exec_command':
      return scripted(call, await runShell(shell, String(fields.cmd ?? ''), scriptedText(call)))
    case 'Write':
      return write(shell, fields, () => String(fields.content ?? ''))
    case 'Edit':
      return write(shell, fields, (before) => {
        const [from, to] = [String(fields.old_string ?? ''), String(fields.new_string ?? '')]
        return fields.replace_all === true ? before.replaceAll(from, () => to) : before.replace(from, () => to)
      })
    case 'Read':
      return read(shell, fields, call)
    case 'AskUserQuestion':
      return scripted(call, { output: fields.answers ?? {}, failed: false })
    case 'AskByForm':
      return scripted(call, { output: fields.content ?? {}, failed: false })
    default:
      return scripted(call, { output: call.name.startsWith('mcp__') ? input : 'ok', failed: false })
  }
}

/** The script's own words win over what was worked out. */
function scripted(call: ToolCall, outcome: ToolOutcome): ToolOutcome {
  return { output: call.output ?? outcome.output, failed: call.isError ?? outcome.failed }
}

function scriptedText(call: ToolCall): string {
  return typeof call.output === 'string' ? call.output : ''
}

function write(shell: Shell, fields: Record<string, unknown>, next: (before: string) => string): ToolOutcome {
  const path = String(fields.file_path ?? '')
  const place = placeToWrite(shell.workDir, path, shell.settings)
  if ('refused' in place) return { output: place.refused, failed: true }
  try {
    mkdirSync(dirname(place.path), { recursive: true })
    writeFileSync(place.path, next(readOr(place.path, '')))
    return { output: `Wrote ${path}`, failed: false }
  } catch (error) {
    return { output: String(error), failed: true }
  }
}

function read(shell: Shell, fields: Record<string, unknown>, call: ToolCall): ToolOutcome {
  const path = String(fields.file_path ?? '')
  const place = placeToRead(shell.workDir, path, shell.settings)
  if ('refused' in place) return { output: place.refused, failed: true }
  const text = readOr(place.path, undefined)
  if (text !== undefined) return { output: text, failed: false }
  return call.output === undefined
    ? { output: `There is no ${path}`, failed: true }
    : scripted(call, { output: '', failed: false })
}

function readOr<T>(path: string, otherwise: T): string | T {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}
