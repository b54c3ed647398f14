/** The items of a transcript on the page: one for each thing a person sees, in log order. */
import type {
  CutValue,
  FileChange,
  InputShape,
  LoggedImage,
  PermissionAsk,
  PlanItem,
  SessionEventOf,
  ToolDisplay,
} from '@roundhouse/backend-types'
import type { BackgroundEnd } from './background-end'
import type { Answered } from './given-answers'
import type { Wait } from './waits'

export type Text = string | CutValue

export interface ToolState {
  callId: string
  toolName: string
  input: unknown
  /** Its line, in the words of its program's adapter. */
  display?: ToolDisplay | undefined
  /** The shape of its input. */
  shape?: InputShape | undefined
  output?: unknown
  /** `background`: the call is answered, and its task still runs, according to the log. */
  state: 'running' | 'background' | 'done' | 'failed' | 'stopped' | 'interrupted'
  startedAt: number
  endedAt?: number
  /** The text that the model was told, if it differs from the call's output. */
  toModel?: string | undefined
  /** What it started ran in the background, and how that ended, once it did. */
  beside?: { end?: BackgroundEnd['end'] }
  /** What was decided about it, in words, when it had to ask. */
  permission?: string
  /** The active permission that answered it, or that its answer left. */
  grantId?: string | undefined
  /** The files that it changes, as they were when it was asked about. */
  found?: readonly FileChange[] | undefined
  /** What ran instead of `input`: a person's edit. */
  ran?: unknown
  /** What a person answered, where it was a question. */
  answered?: Answered
  /** When a person was asked about it, or about a step of its sub-agent. */
  waits: Wait[]
  /** It waits for that decision now. */
  asking?: boolean
  /** It was not let run: what it gives back is no failure of its own. */
  refused?: boolean
  /** What its sub-agent did. */
  children: Item[]
}

export interface Marker {
  /** The program ended: told with the turn that ended by it. */
  exit?: true
  tone: 'quiet' | 'failed' | 'needs' | 'done'
  text: string
  detail?: string
  /** What a person answered to a form that no call stands for. */
  answered?: Answered
  /** The request that an active permission answered. */
  grantId?: string | undefined
}

interface Common {
  /** Stable over re-renders. */
  key: string
  /** Log position, for links. */
  seq: number
  at: number
}

/** `author` is null where no command of this hub says whose prompt it is (VIEW-8). */
export type Item =
  | (Common & { type: 'user'; text: Text; author: string | null; steer: boolean; images?: readonly LoggedImage[] })
  | (Common & { type: 'assistant'; text: Text; partial: boolean })
  | (Common & { type: 'thinking'; text: Text; partial: boolean })
  | (Common & { type: 'tool'; tool: ToolState })
  | (Common & { type: 'plan'; items: PlanItem[] })
  | (Common & { type: 'ask'; ask: PermissionAsk })
  | (Common & { type: 'marker'; marker: Marker })
  | (Common & { type: 'turn_end'; end: SessionEventOf<'turn_completed'>; waitedMs: number; exit?: Marker })
  | (Common & { type: 'unsupported'; kind: string; detail: string })

export type ItemOf<T extends Item['type']> = Extract<Item, { type: T }>
