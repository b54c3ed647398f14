/** What workers publish about themselves. */
import { z } from 'zod'
import type { BusSchema } from './bus-schema'
import { type Phase, phases } from './phases'

const PhaseName = z.enum(phases as unknown as [Phase, ...Phase[]])
const Line = z.string().min(1).max(4_000)
const Artifacts = z.array(z.object({ path: z.string().min(1).max(4_096) }).loose()).max(256)
// Sums of these stay numbers.
const Amount = z.number().min(0).max(Number.MAX_SAFE_INTEGER)
/** What one program may say that it cost. */
export const MOST_USD = 1_000_000
const Usd = z.number().min(0).max(MOST_USD)
const Completed = z.array(PhaseName).max(256)

export const severities = ['info', 'warn', 'error', 'fatal'] as const
export const eventKinds = ['BLOCKED', 'REQUEST', 'HARVEST', 'ERROR', 'DECISION', 'PROGRESS', 'LOG'] as const
export type EventKind = (typeof eventKinds)[number]

/** These wait for an answer whose `correlation_id` is their `request_id`. */
export const askingKinds: readonly string[] = ['BLOCKED', 'REQUEST']

/** An id that a command quotes in the line that the program reads, so it has an id's alphabet. */
export const RequestId = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/, 'an id of letters, digits, _ and -')

export const workerSchemas = {
  'worker-boot-v1': {
    topic: 'worker.*.boot',
    data: z
      .object({
        model: z.string().max(200),
        role: z.string().min(1).max(64),
        mission_summary: z.string().max(4_000),
        cwd: z.string().max(4_096),
        terminal_id: z.string().max(256),
        parent_peer_id: z.string().max(64).nullable().optional(),
        capabilities: z.array(z.string().max(200)).max(256).optional(),
      })
      .loose(),
  },
  'worker-phase-v1': {
    topic: 'worker.*.phase',
    data: z
      .object({
        phase: PhaseName,
        prev: PhaseName,
        transition_reason: z.string().max(4_000),
        phases_completed: Completed,
        metadata: z.record(z.string(), z.unknown()).optional(),
      })
      .loose(),
  },
  'worker-event-v1': {
    topic: 'worker.*.event',
    data: z
      .object({
        // A kind that this version does not know is delivered too (the convention's section 9).
        kind: z.string().regex(/^[A-Z][A-Z_]{0,31}$/, `one of ${eventKinds.join(', ')}`),
        severity: z.enum(severities as unknown as [string, ...string[]]),
        message: Line,
        request_id: RequestId.optional(),
      })
      .loose()
      .refine(({ kind, request_id }) => !askingKinds.includes(kind) || request_id !== undefined, {
        message: 'BLOCKED and REQUEST need a request_id',
        path: ['request_id'],
      }),
  },
  'worker-heartbeat-v1': {
    topic: 'worker.*.heartbeat',
    data: z
      .object({
        current_phase: PhaseName,
        time_in_phase_ms: Amount,
        tokens_used: Amount,
        cost_usd: Usd,
        last_event_id: z.string().max(64).optional(),
        active_sub_workers: z.array(z.string().max(64)).max(256).optional(),
      })
      .loose(),
  },
  'worker-complete-v1': {
    topic: 'worker.*.complete',
    data: z
      .object({
        result: z.string().min(1).max(64),
        summary: z.string().max(16_384),
        artifacts: Artifacts,
        phases_completed: Completed,
        total_tokens: Amount.optional(),
        total_cost_usd: Usd.optional(),
        duration_ms: Amount.optional(),
      })
      .loose(),
  },
} as const satisfies Record<string, BusSchema>

/** The fields of one kind: the convention shows them beside `kind` and in a nested `data`. Both are read. */
export function eventDetails(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { data: nested, ...beside } = data
  return { ...(typeof nested === 'object' && nested !== null && !Array.isArray(nested) ? nested : {}), ...beside }
}

/** An answer that an ask offers. */
export interface OfferedOption {
  id: string
  label: string
}

const OPTIONS = 16
const Word = z.string().min(1).max(500)
const Option = z.union([
  z.object({ id: Word, label: Word }).transform(({ id, label }) => ({ id, label })),
  Word.transform((word) => ({ id: word, label: word })),
])

/** In the order of the program. One without the convention's shape is left out; of two with one id, the first is taken. */
export function offeredOptions({ options }: Readonly<Record<string, unknown>>): OfferedOption[] {
  const offered = new Map<string, OfferedOption>()
  for (const one of Array.isArray(options) ? options : []) {
    const option = Option.safeParse(one)
    if (option.success && !offered.has(option.data.id)) offered.set(option.data.id, option.data)
  }
  return [...offered.values()].slice(0, OPTIONS)
}
