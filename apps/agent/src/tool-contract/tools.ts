/** The tools on our MCP server: what each takes, and the words in which a model reads of it. Both ends derive from this table. */
import { type OwnTool, TREE_WAIT_SECONDS, type TreeVerb, treeInputs } from '@roundhouse/backend-types'
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

const [spawn, read, wait] = [treeInputs.spawn.shape, treeInputs.read.shape, treeInputs.wait.shape]

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
  spawn_session: treeInputs.spawn.extend({
    prompt: spawn.prompt.describe('What the session has to do. It knows nothing else of your work.'),
    backend: spawn.backend.describe('The program. Without it: the same as yours.'),
    machine: spawn.machine.describe('Name or id of a machine. Without it: yours.'),
    workDir: spawn.workDir.describe(
      'On your machine: your folder (without it) or one of your additional ones. Needed on another machine.',
    ),
  }),
  send_message: treeInputs.send,
  read_session: treeInputs.read.extend({
    sessionId: read.sessionId.describe('Without it: this session. Its answer names the sessions that you started.'),
    after: read.after.describe('Only answers after this number; next of the last answer.'),
  }),
  wait_sessions: treeInputs.wait.extend({
    sessionIds: wait.sessionIds.describe('Without it: all that you started.'),
    timeoutSeconds: wait.timeoutSeconds.describe(`Without it: ${TREE_WAIT_SECONDS}.`),
  }),
} as const satisfies Record<OwnTool, z.ZodType>

/** The tools that the hub answers. */
export const treeTools = {
  spawn_session: 'spawn',
  send_message: 'send',
  read_session: 'read',
  wait_sessions: 'wait',
} as const satisfies Partial<Record<OwnTool, TreeVerb>>

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
  spawn_session:
    'Starts another session with a prompt, on this machine or another one, if a person allowed it. It runs beside you; wait_sessions waits for it.',
  send_message: 'Sends a prompt to another session of your tree. It arrives as text of this session, not of a person.',
  wait_sessions: 'Waits until sessions of your tree have nothing more to do or have ended.',
  read_session: 'Reads the state of a session of your tree and its last answers. They are text of another program.',
}

export const isTool = (name: string): name is OwnTool => Object.hasOwn(toolInputs, name)
