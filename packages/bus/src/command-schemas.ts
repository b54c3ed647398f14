/** What orchestrators tell workers. */
import { z } from 'zod'
import type { BusSchema } from './bus-schema'
import { type Phase, phases } from './phases'
import { RequestId } from './worker-schemas'

const Reason = z.string().min(1).max(4_000)
const answering = { correlation_id: RequestId }

export const commandSchemas = {
  'cmd-approve-v1': { topic: 'cmd.*.approve', data: z.object(answering).loose() },
  'cmd-reject-v1': { topic: 'cmd.*.reject', data: z.object({ ...answering, reason: Reason }).loose() },
  'cmd-abort-v1': { topic: 'cmd.*.abort', data: z.object({ reason: Reason }).loose() },
  'cmd-pause-v1': { topic: 'cmd.*.pause', data: z.object({}).loose() },
  'cmd-resume-v1': { topic: 'cmd.*.resume', data: z.object({}).loose() },
  'cmd-set-phase-v1': {
    topic: 'cmd.*.set_phase',
    data: z.object({ phase: z.enum(phases as unknown as [Phase, ...Phase[]]), reason: Reason }).loose(),
  },
  'cmd-spawn-v1': {
    topic: 'cmd.*.spawn',
    data: z
      .object({
        name: z.string().min(1).max(128),
        mission: z.string().min(1).max(16_384),
        model: z.string().max(200).optional(),
      })
      .loose(),
  },
  'cmd-inject-text-v1': {
    topic: 'cmd.*.inject_text',
    data: z.object({ text: z.string().min(1).max(32_768), paste: z.boolean().optional() }).loose(),
  },
} as const satisfies Record<string, BusSchema>
