/**
 * Plays a recorded dialogue (fixtures/traces) through the translator: what Codex said becomes effects, and what the
 * client of the recording did (turns, decisions) is done to the translator at the same place.
 */

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RpcId } from '@roundhouse/adapter-kit'
import { asNumber, asRecord, asText, type Json } from '@roundhouse/adapter-kit/read'
import type { PermissionDecision } from '@roundhouse/backend-types'
import type { Effect } from './effects'
import { Translator } from './translate'

export interface TraceLine {
  dir: 'in' | 'out'
  frame: Json
}

export function readTrace(name: string): TraceLine[] {
  const path = fileURLToPath(new URL(`../../fixtures/traces/${name}.jsonl`, import.meta.url))
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as TraceLine)
}

const decisions: Record<string, PermissionDecision['decision']> = {
  accept: 'allow',
  acceptForSession: 'allow_session',
  decline: 'deny',
  cancel: 'abort',
}

/** Every effect of a trace, without what is raw. */
export function replay(name: string): Effect[] {
  return replayLines(readTrace(name)).filter(({ type, ...effect }) => {
    return type !== 'output' || asRecord(asRecord(effect).output).kind !== 'raw'
  })
}

export function replayLines(trace: TraceLine[]): Effect[] {
  const player = new Player()
  return trace.flatMap(({ dir, frame }) => (dir === 'in' ? player.said(frame) : player.heard(frame)))
}

class Player {
  private translator: Translator | undefined
  private readonly methods = new Map<RpcId, string>()
  private readonly asked = new Map<RpcId, string>()

  /** A frame of the client. */
  said(frame: Json): Effect[] {
    const { id, method } = named(frame)
    if (id === undefined) return []
    if (method === undefined) return this.decide(this.asked.get(id) ?? '', frame)
    this.methods.set(id, method)
    if (method === 'turn/start') this.translator?.turn.request()
    return []
  }

  /** A frame of Codex. */
  heard(frame: Json): Effect[] {
    const { id, method } = named(frame)
    if (method === undefined) {
      this.reply(this.methods.get(id ?? '') ?? '', asRecord(frame.result))
      return []
    }
    const params = asRecord(frame.params)
    if (id === undefined) return this.translator?.notification(method, params) ?? []
    const effects = this.translator?.request(id, method, params) ?? []
    for (const effect of effects) if (effect.type === 'ask') this.asked.set(id, effect.request.callId)
    return effects
  }

  private reply(method: string, result: Json): void {
    if (method === 'thread/start') this.translator = new Translator(asText(asRecord(result.thread).id) ?? '')
    if (method === 'turn/start') this.translator?.turn.accept(asText(asRecord(result.turn).id) ?? '')
  }

  private decide(callId: string, frame: Json): Effect[] {
    const ask = this.translator?.askFor(callId)
    if (!ask || !this.translator) return []
    const { decision: word, action, answers } = asRecord(frame.result)
    const decision = decisions[asText(word) ?? asText(action) ?? 'accept'] ?? 'deny'
    const edited = answers === undefined ? {} : { updatedInput: { answers: { q1: 'Red' } } }
    const unanswered = frame.error !== undefined
    return this.translator.decided(ask, { callId, decision, unanswered, ...edited })
  }
}

const named = (frame: Json) => ({ id: asText(frame.id) ?? asNumber(frame.id), method: asText(frame.method) })
