/** The tools on our MCP server: what each takes, and the words in which a model reads of it. Both ends derive from this table. */
import type { OwnTool } from '@roundhouse/backend-types'
import { eventKinds, phases, RequestId, severities } from '@roundhouse/bus'
import { z } from 'zod'

type Names<T extends string> = [T, ...T[]]

const Line = z.string().min(1).max(4_000)
const More = z.record(z.string(), z.unknown())
const Seconds = z.number().positive().max(86_400)
const Artifacts = z
  .array(z.looseObject({ path: z.string().min(1).max(4_096) }))
  .max(256)
  .describe('Files that you leave, each with its path.')

const Option = z.strictObject({ id: z.string().min(1).max(64), label: z.string().min(1).max(500) })

export const toolInputs = {
  publish_event: z.strictObject({
    kind: z
      .enum(eventKinds as unknown as Names<(typeof eventKinds)[number]>)
      .describe('BLOCKED and REQUEST ask for an answer, which reaches you later; ask_orchestrator waits for it.'),
    message: Line.describe('One line for people.'),
    severity: z
      .enum(severities as unknown as Names<(typeof severities)[number]>)
      .optional()
      .describe('Without it: error for ERROR, warn for BLOCKED, else info. fatal: you are going down.'),
    request_id: RequestId.optional().describe('Of BLOCKED and REQUEST: the answer names it. Without it, one is made.'),
    data: More.optional().describe('The fields of this kind: artifacts, percent, options, reasoning and so on.'),
  }),
  publish_phase: z.strictObject({
    phase: z.enum(phases as unknown as Names<(typeof phases)[number]>),
    reason: z.string().max(4_000).optional().describe('Why you enter it.'),
    metadata: More.optional(),
  }),
  complete: z.strictObject({
    result: z.string().min(1).max(64).optional().describe('ok unless you say otherwise.'),
    summary: z.string().max(16_384),
    artifacts: Artifacts.optional(),
  }),
  ask_orchestrator: z.strictObject({
    message: Line.describe('The question, in one line.'),
    kind: z.enum(['REQUEST', 'BLOCKED']).optional().describe('REQUEST: a decision. BLOCKED: you cannot go on.'),
    options: z.array(Option).min(1).max(16).optional(),
    request_id: RequestId.optional(),
    data: More.optional(),
    timeout_seconds: Seconds.optional().describe('Without it, the call waits until somebody answers.'),
  }),
  read_commands: z.strictObject({
    wait: z.boolean().optional().describe('Waits for the next command if none is there.'),
    timeout_seconds: Seconds.optional().describe('The longest wait.'),
  }),
} as const satisfies Record<OwnTool, z.ZodType>

export type ToolInput<T extends OwnTool> = z.infer<(typeof toolInputs)[T]>

export const toolWords: Readonly<Record<OwnTool, string>> = {
  publish_event:
    'Tells everybody who watches this session where you stand: a checkpoint, a result, an error, a decision.',
  publish_phase:
    'Says which phase of the work you enter. PLAN leads to SPAWN, DEPLOY, OBSERVE, HARVEST, CLEANUP and REFLECT; RECOVER and FAILED are for trouble.',
  complete: 'Says that the mission of this session is done, once, as the last thing.',
  ask_orchestrator:
    'Asks whoever directs this session, and waits for the answer: approve, reject or set_phase, with what they sent along.',
  read_commands: 'Reads the commands of the orchestrator that have not reached you yet.',
}

export const isTool = (name: string): name is OwnTool => Object.hasOwn(toolInputs, name)
