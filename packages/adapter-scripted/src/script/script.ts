/**
 * The script grammar: a prompt carries what the model shall do, as `SCRIPT: [step, step, ...]`. The scripted model
 * servers (`e2e/real-backends/model-servers`) read the same words, so one prompt drives the scripted player, a real
 * Claude and a real Codex. The words of `PlayerStep` are the player's own: a model server ignores them.
 */
import type { PlanItem } from '@roundhouse/backend-types'

export interface ToolCall {
  name: string
  input?: unknown
  /** What the tool gives back, where the player does not work it out by itself. */
  output?: unknown
  isError?: boolean
  /** Whether it asks first, and why. Default: the tools that change something ask. */
  ask?: boolean | string
  /** Told while the call runs. */
  progress?: string[]
  /** How long the call takes. */
  tookMs?: number
}

/** What the model says, and how fast. */
export interface SpokenStep {
  text?: string
  thinking?: string
  /** Characters of one streamed piece, and the pause after each. */
  chunk?: number
  delayMs?: number
}

/** The tools that the model calls. */
export interface CallingStep {
  tool?: string
  input?: unknown
  /** Calls made at once. Their asks are open at the same time. */
  tools?: ToolCall[]
}

/** What the connection to the model does. */
export interface ServiceStep {
  /** Milliseconds before the step. */
  sleep?: number
  /** Writes what it has and then never ends by itself. */
  hang?: boolean
  /** The model connection is cut in the middle: the text is taken back, the turn fails. */
  drop?: boolean
  streamError?: string
  /** An HTTP status of the model service; with `times` only for the first attempts. */
  error?: number
  times?: number
  message?: string
}

/** What the turn is said to have used. */
export interface MeteredStep {
  usage?: {
    input_tokens?: number
    output_tokens?: number
    cache_read_input_tokens?: number
    cache_creation_input_tokens?: number
  }
  /** What the turn says that it cost, in USD; without one it says nothing. */
  cost?: number
  /** What the turn says of itself that no field of the contract holds. */
  meta?: Record<string, unknown>
}

/** What becomes of the conversation. */
export interface ConversationStep {
  /** Plays the step only if the latest tool call ran, or only if it was refused. */
  when?: 'allowed' | 'denied'
  plan?: PlanItem[]
  system?: { subtype: string; data?: unknown }
  /** Says how many turns of this conversation are remembered, and how the latest one began. */
  recall?: boolean
  /** Goes on in a new, empty conversation under another id. */
  clear?: boolean
  /** Goes on in this mode by itself. */
  mode?: string
  /** A turn that begins by itself after this one. */
  background?: { afterMs?: number; steps: Step[] }
}

/** Output that no model would write. */
export interface PrintingStep {
  /** Numbered texts, one block each: `prefix 1`, `prefix 2`, ... `stamp` ends each with ` @` and the epoch's milliseconds. */
  count?: { to: number; delayMs?: number; prefix?: string; stamp?: boolean }
  /** Prints as fast as it is read: `bytes` in lines of `line` bytes. */
  flood?: { bytes: number; line?: number; as?: 'text' | 'delta' | 'garbage' }
  /** Lines that are no JSON. */
  garbage?: number | string
  stderr?: string
}

/** What the process of the program does. */
export interface ProcessStep {
  /** Prints the beginning of a frame and dies with this exit code. */
  halfLine?: number
  /** Dies with this exit code. */
  crash?: number
  ignoreSigterm?: boolean
  /** Lives on when its host is gone (for at most ten minutes). */
  orphan?: boolean
  /** Leaves a child behind that keeps stdout open; says its pid. */
  fork?: { lifeMs: number }
}

/** The player's own words. */
export interface PlayerStep extends ConversationStep, PrintingStep, ProcessStep, Omit<ToolCall, 'name' | 'input'> {}

export interface Step extends SpokenStep, CallingStep, ServiceStep, MeteredStep, PlayerStep {}

/** A prompt that plays `steps`. */
export function script(steps: Step[], prose = 'Please do this.'): string {
  return `${prose} SCRIPT: ${JSON.stringify(steps)}`
}

/** The first script in a text, or null. Further scripts may lie inside it, for sub-agents. */
export function findScript(text: string): Step[] | null {
  const mark = text.indexOf('SCRIPT:')
  const start = mark < 0 ? -1 : text.indexOf('[', mark)
  const end = start < 0 ? -1 : endOfArray(text, start)
  if (end < 0) return null
  try {
    const steps: unknown = JSON.parse(text.slice(start, end))
    return Array.isArray(steps) && steps.every(isRecord) ? (steps as Step[]) : null
  } catch {
    return null
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function endOfArray(text: string, start: number): number {
  let depth = 0
  let inString = false
  for (let at = start; at < text.length; at++) {
    const char = text[at]
    if (inString) {
      if (char === '\\') at++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '[' || char === '{') depth++
    else if ((char === ']' || char === '}') && --depth === 0) return at + 1
  }
  return -1
}
