/** What a person can do about an error of a backend or a machine. Pure. */
import { type ErrorCode, errorTable } from '@roundhouse/backend-types'
import { commandIn } from '../../ui/text/command-in'

interface Said {
  code: string
  message: string
}

const nextSteps: Partial<Record<ErrorCode, string>> = {
  BACKEND_AUTH: 'Log in to the program on the machine, or set another key there, then send the prompt again.',
  BACKEND_QUOTA: 'Wait until the quota resets, or choose another model, then send the prompt again.',
  CONVERSATION_TOO_LONG: 'Send /compact to shorten the conversation, or start a new session.',
  MODEL_UNAVAILABLE: 'Send the prompt again, or choose another model first.',
  BACKEND_OVERLOADED: 'Wait a moment, then send the prompt again.',
  BACKEND_ERROR: 'Send the prompt again, or rephrase it.',
  BACKEND_TIMEOUT: 'Check whether the machine is busy, then send the prompt again.',
  BACKEND_UNAVAILABLE:
    'Install it on the machine, press “Check for programs” on the Machines page, and send the prompt again.',
  BACKEND_VERSION: 'Install a version that fits on the machine, then send the prompt again.',
  BACKEND_CRASHED:
    'Everything it printed is here. Send the prompt again, or another one: the same conversation continues.',
  ALREADY_RUNNING: 'End the other program, then send the prompt again.',
  RESUME_UNAVAILABLE: 'Start fresh: the transcript stays, and the program begins a new conversation.',
  UNSUPPORTED: 'Send the prompt again, or choose another setting first.',
  POLICY_DENIED: 'Choose another setting, or change the policy on the machine.',
  PATH_NOT_ALLOWED: 'Choose another folder.',
  OUT_OF_RESOURCES: 'Stop something on the machine, or raise its limits, then send the prompt again.',
  COMMAND_EXPIRED: 'Start it again when the machine is connected.',
  STORAGE_DAMAGED: 'What can be read of it is here. A backup of the hub may have the rest; continue in a new session.',
  AGENT_OFFLINE: 'Try again when the machine is connected.',
}

export function nextStep({ code, message }: Said): string | undefined {
  if (code === 'PATH_NOT_ALLOWED' && commandIn(message).command) {
    return 'Choose another folder, or allow this one on that machine:'
  }
  return Object.hasOwn(nextSteps, code) ? nextSteps[code as ErrorCode] : undefined
}

/**
 * The thrower's own message, after the table's sentence if the message alone does not say what happened. A command in it is
 * shown on its own (`commandIn`).
 */
export function errorSentence({ code, message }: Said): string {
  const title = Object.hasOwn(errorTable, code) ? errorTable[code as ErrorCode].title : ''
  const own = sentence(commandIn(message).said)
  return title === '' || own === title || !vague.has(code) ? own || title : `${title} ${own}`
}

/** Messages of these codes tell how to fix the problem, not what it was. */
const vague: ReadonlySet<string> = new Set<ErrorCode>(['POLICY_DENIED', 'BACKEND_QUOTA', 'BACKEND_AUTH'])

export const sentence = (text: string) => (text === '' || /[.!?…]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`)
