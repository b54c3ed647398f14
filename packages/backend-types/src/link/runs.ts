/** Runs over REST: a session with one prompt and an end (RUN-1). */
import { z } from 'zod'
import { AgentDeliveryResult, AgentRunResult } from '../agent-runtime'
import { Id } from '../common/ids'
import { shownName } from '../common/shown-name'
import { SessionSummary } from '../session/session'
import { AskedSettings, OnPermission } from '../session/session-settings'

const { backend, workDir, autoResume: _byItself, ...settings } = AskedSettings.shape

export const RunRequest = z.strictObject({
  agentId: Id,
  backend,
  workDir,
  prompt: z.string().min(1),
  /** What else a session takes. A run does not resume by itself (RUN-6). */
  settings: z.strictObject(settings).optional(),
  title: shownName(200).optional(),
  onPermission: OnPermission.default('wait'),
})
export type RunRequest = z.infer<typeof RunRequest>

/** A row of the list of runs. */
export const RunSummary = SessionSummary.pick({
  agentId: true,
  agentName: true,
  agentOnline: true,
  unreachableSince: true,
  title: true,
  status: true,
  backend: true,
  workDir: true,
  pendingRequests: true,
  createdAt: true,
  updatedAt: true,
}).extend({
  /** The id of its session as well. */
  runId: Id,
  onPermission: OnPermission,
})
export type RunSummary = z.infer<typeof RunSummary>

/** `result` is absent while it is under way. */
export const RunView = RunSummary.extend({ result: AgentDeliveryResult.optional() })
export type RunView = z.infer<typeof RunView>

export const RunsList = z.object({ items: z.array(RunSummary), next: z.string().nullable() })
export type RunsList = z.infer<typeof RunsList>

/** A line of the stream: an `AgentEvent` with its cursor. Lines without text only say that the connection lives. */
const line = { cursor: z.string().min(1).max(32) }
export const RunEvent = z.discriminatedUnion('type', [
  z.object({ ...line, type: z.literal('text'), text: z.string() }),
  z.object({
    ...line,
    type: z.literal('tool_use'),
    toolName: z.string(),
    toolId: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.object({
    ...line,
    type: z.literal('tool_result'),
    toolId: z.string(),
    output: z.string(),
    isError: z.boolean().optional(),
  }),
  z.object({ ...line, type: z.literal('error'), message: z.string(), code: z.string().optional() }),
  z.object({ ...line, type: z.literal('done'), result: AgentRunResult }),
])
export type RunEvent = z.infer<typeof RunEvent>

/** Query of `POST /runs`: `false` answers at once, with the run under way. */
export const RunStartQuery = z.object({ wait: z.enum(['true', 'false']).default('true') })
export type RunStartQuery = z.infer<typeof RunStartQuery>

/** Query of `GET /runs/:id/events`: the cursor of the last line that the caller has. */
export const RunEventsQuery = z.object({ after: z.string().max(32).optional() })
export type RunEventsQuery = z.infer<typeof RunEventsQuery>

export const RunsQuery = z.object({
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
  agentId: Id.optional(),
  status: z.string().max(40).optional(),
})
export type RunsQuery = z.infer<typeof RunsQuery>
