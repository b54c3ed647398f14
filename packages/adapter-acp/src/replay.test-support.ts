/**
 * Plays a recorded dialogue (fixtures/traces) through the connection and the translator: what the program said becomes effects, and
 * what the client of the recording did (prompts, decisions, cancels) is done at the same place.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { RpcId } from '@roundhouse/adapter-kit'
import { asRecord, asText, type Json } from '@roundhouse/adapter-kit/read'
import type { PermissionDecision } from '@roundhouse/backend-types'
import { type ProfileName, profiles } from './profiles'
import type { Effect } from './translate/effects'
import { Translator } from './translate/translate'

interface TraceLine {
  dir: 'in' | 'out'
  frame: Json
}

export function readTrace(program: ProfileName, name: string): TraceLine[] {
  const path = fileURLToPath(new URL(`../fixtures/traces/${program}/${name}.jsonl`, import.meta.url))
  const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
  return lines.map((line) => JSON.parse(line) as TraceLine)
}

/** Every effect of a trace, without what is raw and the list of commands. */
export function replay(program: ProfileName, name: string): Effect[] {
  const player = new Player(program)
  const effects = readTrace(program, name).flatMap(({ dir, frame }) =>
    dir === 'in' ? player.said(frame) : player.heard(frame),
  )
  return effects.filter((effect) => effect.type !== 'commands' && !isRaw(effect))
}

export const isRaw = (effect: Effect): boolean => effect.type === 'output' && effect.output.kind === 'raw'

const decisions: Readonly<Record<string, PermissionDecision['decision']>> = {
  once: 'allow',
  'allow-once': 'allow',
  proceed_once: 'allow',
  proceed_always: 'allow_session',
  always: 'allow_session',
  reject: 'deny',
  cancel: 'deny',
  deny: 'deny',
}

class Player {
  private translator: Translator | undefined
  private readonly methods = new Map<RpcId, string>()
  private readonly asked = new Map<RpcId, string>()

  constructor(private readonly program: ProfileName) {}

  /** A frame of the client. */
  said({ id, method, result }: Json): Effect[] {
    if (method === 'session/cancel') {
      this.translator?.turn.cancel()
      return this.translator?.withdrawAsks() ?? []
    }
    if (typeof method === 'string') {
      this.methods.set(id as RpcId, method)
      if (method === 'session/prompt') this.translator?.turn.begin()
      return []
    }
    return this.decide(this.asked.get(id as RpcId) ?? '', asRecord(asRecord(result).outcome))
  }

  /** A frame of the program. */
  heard(frame: Json): Effect[] {
    const { id, method } = frame
    const params = asRecord(frame.params)
    if (method === 'session/update') return this.translator?.update(params) ?? []
    if (method === 'session/request_permission') {
      const effects = this.translator?.ask(id as RpcId, params) ?? []
      for (const effect of effects) if (effect.type === 'ask') this.asked.set(id as RpcId, effect.request.callId)
      return effects
    }
    if (method !== undefined) return this.translator?.stray(frame) ?? []
    return this.reply(this.methods.get(id as RpcId), frame)
  }

  private reply(method: string | undefined, { result, error }: Json): Effect[] {
    if (method === 'session/new') this.open(asText(asRecord(result).sessionId) ?? '')
    if (method !== 'session/prompt' || !this.translator) return []
    const message = asText(asRecord(error).message) ?? ''
    return this.translator.turnEnded(
      error === undefined ? { ok: true, result } : { ok: false, error: new Error(message) },
    )
  }

  private open(sessionId: string): void {
    this.translator = new Translator({
      backend: this.program,
      sessionId,
      blockPrefix: 'b',
      isNew: true,
      workDir: '/workspace',
      nameCall: profiles[this.program].nameCall,
      failsSilently: profiles[this.program].failsSilently,
    })
  }

  private decide(callId: string, { optionId }: Json): Effect[] {
    const ask = this.translator?.askFor(callId)
    if (!ask || !this.translator) return []
    return this.translator.decided(ask, { callId, decision: decisions[String(optionId)] ?? 'abort' })
  }
}
