/**
 * Questions to the client that wait for its answer. Each is settled once: answered, too late, withdrawn by the program, or
 * ended with the session. After that its id is unknown.
 */
import { firstFault } from '@roundhouse/backend-types'
import type { z } from 'zod'
import { HookAnswer, PermissionAnswer } from '../messages/callback-answers'

/** 5 minutes, as the document says. */
export const CALLBACK_TIMEOUT_MS = 300_000

const answers = { can_use_tool: PermissionAnswer, hook: HookAnswer }
type Kind = keyof typeof answers
type AnswerOf<K extends Kind> = z.infer<(typeof answers)[K]>

export type Settled<A> = { by: 'client'; answer: A } | { by: 'timeout' } | { by: 'withdrawn' } | { by: 'end' }

/** Calls back once after a time. Returns what takes that back. */
export type Timer = (ms: number, late: () => void) => () => void

export const realTimer: Timer = (ms, late) => {
  const timer = setTimeout(late, ms)
  return () => clearTimeout(timer)
}

interface Pending {
  take(payload: unknown): string | null
  settle(how: Exclude<Settled<unknown>, { by: 'client' }>): void
}

export class Callbacks {
  private readonly pending = new Map<string, Pending>()

  constructor(
    private readonly timeoutMs: number,
    private readonly timer: Timer,
  ) {}

  ask<K extends Kind>(kind: K, id: string, withdrawn?: AbortSignal): Promise<Settled<AnswerOf<K>>> {
    return new Promise((resolve) => {
      const settle = (how: Settled<AnswerOf<K>>) => {
        if (!this.pending.delete(id)) return
        stopTimer()
        resolve(how)
      }
      this.pending.set(id, {
        take: (payload) => {
          const read = answers[kind].safeParse(payload)
          if (!read.success) return faultOf(read.error)
          settle({ by: 'client', answer: read.data as AnswerOf<K> })
          return null
        },
        settle,
      })
      const stopTimer = this.timer(this.timeoutMs, () => settle({ by: 'timeout' }))
      withdrawn?.addEventListener('abort', () => settle({ by: 'withdrawn' }), { once: true })
    })
  }

  /** Null: taken. Otherwise what is wrong; a known question stays open for a better answer. */
  answer(id: string, payload: unknown): string | null {
    const pending = this.pending.get(id)
    return pending ? pending.take(payload) : `Unknown callback ID: ${id.slice(0, 100)}`
  }

  withdraw(id: string): void {
    this.pending.get(id)?.settle({ by: 'withdrawn' })
  }

  /** The program that asked is gone. */
  withdrawAll(): void {
    this.settleAll('withdrawn')
  }

  endAll(): void {
    this.settleAll('end')
  }

  private settleAll(by: 'withdrawn' | 'end'): void {
    for (const { settle } of [...this.pending.values()]) settle({ by })
  }
}

const faultOf = (error: z.ZodError): string => firstFault(error, 'payload', 'payload').text
