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

/** A call of a tool, and what became of it. */
export interface ToolCallState {
  callId: string
  toolName: string
  input: unknown
  /** Its line, in the words of the program's adapter. */
  display?: ToolDisplay | undefined
  shape?: InputShape | undefined
  output?: unknown
  /** `background`: the call has its result, and its task is still running, according to the log. */
  state: 'running' | 'background' | 'done' | 'failed' | 'stopped' | 'interrupted'
  startedAt: number
  endedAt?: number
  /** The text that the model was told, if it differs from the call's output. */
  toModel?: string | undefined
  /** Its task ran in the background, and how the task ended. */
  beside?: { end?: BackgroundEnd['end'] }
  /** The items of its sub-agent. */
  children: Item[]
}

/** Whether a person was asked about a call, and what was decided. */
export interface ToolAskState {
  /** The result of its permission request, in words. */
  permission?: string
  /** The grant that allowed it, or that its decision created. */
  grantId?: string | undefined
  /** In its place, the rule of the folder. */
  ruleId?: string | undefined
  /** The files that it changes, as they were at the request. */
  found?: readonly FileChange[] | undefined
  /** What ran instead of `input`: a person's edit. */
  ran?: unknown
  /** A person's answers, if it was a question. */
  answered?: Answered
  /** When it, or a step of its sub-agent, waited for a person. */
  waits: Wait[]
  /** It is waiting for a decision now. */
  asking?: boolean
  /** It was refused, so its output is not an error of its own. */
  refused?: boolean
}

export interface ToolState extends ToolCallState, ToolAskState {}

export interface Marker {
  /** The program ended: shown with the turn that ended with it. */
  exit?: true
  tone: 'quiet' | 'failed' | 'needs' | 'done'
  text: string
  /** Another session, which it names. */
  sessionId?: string
  detail?: string
  /** A person's answers to a form without a call. */
  answered?: Answered
  /** What allowed a request, or what its decision left: a grant of the session, or a rule of the folder. */
  grantId?: string | undefined
  ruleId?: string | undefined
}

interface Common {
  /** Stable over re-renders. */
  key: string
  /** Log position, for links. */
  seq: number
  at: number
}

/** `author` is null if no command of this hub proves whose prompt it is (VIEW-8). */
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
