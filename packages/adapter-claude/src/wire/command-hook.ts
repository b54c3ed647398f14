/**
 * Every command of the model is asked about (PERM-9). Claude Code runs unasked what it takes for reading, also what reads more
 * than its words say: `grep -R` follows a link that a repository brought, `git status` runs what a copied `.git/config` names. A
 * hook comes before that judgement, in every mode, also in helpers and behind `/clear`; it answers "ask", and the host answers the
 * question that follows. A rule to ask would do the same, but commands that the owner wrote could not run their own `!` lines.
 * Measured on 2.1.330.
 */
import type { BackendOutput } from '@roundhouse/backend-types'
import { asRecord, controlSuccess, type Frame, recordAt, textAt } from './frames'

const shells = ['Bash', 'Monitor', 'PowerShell']
export const isShell = (toolName: string): boolean => shells.includes(toolName)
/** Seconds. While its output is held nobody answers, and a hook whose time is over asks nobody. */
export const HOOK_PATIENCE = 7 * 86_400
const CALLBACK_ID = 'command'

/** For the first request to the program. */
export const commandHooks = {
  PreToolUse: [{ matcher: shells.join('|'), hookCallbackIds: [CALLBACK_ID], timeout: HOOK_PATIENCE }],
}

export class CommandHook {
  /** Calls of the model that no hook was asked about yet. */
  private readonly unasked = new Set<string>()
  private readonly asked = new Set<string>()

  /** The answer to a hook's question; null for any other frame. */
  answer(frame: Frame): Frame | null {
    const request = frame.type === 'control_request' ? recordAt(frame, 'request') : undefined
    if (request?.subtype !== 'hook_callback') return null
    const callId = textAt(request, 'tool_use_id') ?? textAt(asRecord(request.input), 'tool_use_id')
    if (callId !== undefined) this.asked.add(callId)
    const hookSpecificOutput = { hookEventName: 'PreToolUse', permissionDecision: 'ask' }
    return controlSuccess(textAt(frame, 'request_id') ?? '', { hookSpecificOutput })
  }

  /** False: a command has run, and nobody was asked. */
  sees(output: BackendOutput): boolean {
    if (output.kind === 'tool_use' && isShell(output.toolName)) this.unasked.add(output.callId)
    if (output.kind !== 'tool_result') return true
    const isCommand = this.unasked.delete(output.callId)
    const wasAsked = this.asked.delete(output.callId)
    return !isCommand || wasAsked || output.isError === true
  }
}
