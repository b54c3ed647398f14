/**
 * Plays a recorded dialogue through a translator. What went to the CLI drives it as the adapter would, and
 * every recorded answer to an ask is compared with the one that we would write.
 */
import { readFileSync } from 'node:fs'
import type { PermissionDecision } from '@roundhouse/backend-types'
import { asRecord, type Frame, parseFrame, recordAt, textAt } from '../wire/frames'
import { Translator, type TranslatorOptions } from './translate'
import type { Translated } from './translated'

export interface Replay {
  /** Everything the translator told, without `raw` outputs and answers to control requests. */
  events: Translated[]
  /** The raw outputs' frames, by type and subtype. */
  raw: string[]
  /** Recorded answers to asks beside ours. */
  answers: Array<{ recorded: unknown; ours: unknown }>
  translator: Translator
}

export function replay(trace: string, options: Partial<TranslatorOptions> = {}): Replay {
  const lines = readTrace(trace)
  const init = lines.find(({ frame }) => frame.subtype === 'init' || frame.type === 'result')
  const translator = new Translator({
    backendSessionId: textAt(init?.frame, 'session_id') ?? '',
    workDir: '/workspace',
    blockPrefix: 'b',
    maxOutputTokens: undefined,
    costBaseline: 0,
    ...options,
  })
  const all: Translated[] = []
  const answers: Replay['answers'] = []
  for (const { dir, frame } of lines) {
    if (dir === 'out') all.push(...translator.accept(frame))
    else answers.push(...drive(translator, frame, lines))
  }
  const isRaw = (event: Translated) => event.type === 'output' && event.output.kind === 'raw'
  return {
    events: all.filter((event) => event.type !== 'answer' && !isRaw(event)),
    raw: all.filter(isRaw).map((event) => nameOf(event)),
    answers,
    translator,
  }
}

/** Outputs alone, without the init. */
export function outputsOf({ events }: Replay) {
  return events.flatMap((event) =>
    event.type === 'output' && !(event.output.kind === 'system' && event.output.subtype === 'init')
      ? [event.output]
      : [],
  )
}

export function liveOf({ events }: Replay) {
  return events.flatMap((event) => (event.type === 'live' ? [event.delta] : []))
}

export function endsOf({ events }: Replay) {
  return events.flatMap((event) => (event.type === 'turn_completed' ? [event.info] : []))
}

function drive(translator: Translator, frame: Frame, lines: Line[]): Replay['answers'] {
  if (frame.type === 'user' && !translator.running) translator.sent()
  if (recordAt(frame, 'request')?.subtype === 'interrupt') translator.interrupting()
  if (frame.type !== 'control_response') return []
  const requestId = textAt(recordAt(frame, 'response'), 'request_id')
  const ask = lines.find((line) => line.dir === 'out' && line.frame.request_id === requestId)
  const callId = textAt(recordAt(ask?.frame, 'request'), 'tool_use_id')
  if (callId === undefined) throw new Error('an answer without an ask')
  return [{ recorded: frame, ours: translator.decide(decisionOf(frame, callId)) }]
}

function decisionOf(frame: Frame, callId: string): PermissionDecision {
  const response = recordAt(frame, 'response')
  if (response?.subtype === 'error') {
    return { callId, decision: 'deny', unanswered: true, ...reason(textAt(response, 'error')) }
  }
  const body = recordAt(response, 'response')
  if (body?.behavior === 'allow') return { callId, decision: 'allow', updatedInput: body.updatedInput }
  return { callId, decision: body?.interrupt === true ? 'abort' : 'deny', ...reason(textAt(body, 'message')) }
}

function reason(text: string | undefined) {
  return text === undefined ? {} : { reason: text }
}

interface Line {
  dir: string
  frame: Frame
}

function readTrace(trace: string): Line[] {
  const text = readFileSync(new URL(`../../fixtures/traces/${trace}.jsonl`, import.meta.url), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const entry = parseFrame(line) ?? {}
      return { dir: textAt(entry, 'dir') ?? '', frame: recordAt(entry, 'frame') ?? {} }
    })
}

function nameOf(event: Translated): string {
  const frame = event.type === 'output' && event.output.kind === 'raw' ? asRecord(event.output.payload) : undefined
  return [frame?.type, frame?.subtype].filter((part) => part !== undefined).join('/')
}
