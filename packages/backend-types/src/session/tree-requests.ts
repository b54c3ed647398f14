/** What a program of a session asks of the hub about its tree: an event of its log on the way out, a command on the way back. */
import { z } from 'zod'
import { Id } from '../common/ids'
import { shownName } from '../common/shown-name'

/** Of the input, as UTF-8 bytes of JSON: an event that is longer would be cut. */
export const TREE_REQUEST_BYTES = 48 * 1024
/** Where the program does not say how long. */
export const TREE_WAIT_SECONDS = 600

const Text = z.string().min(1).max(32_000)

export const treeInputs = {
  spawn: z.strictObject({
    prompt: Text,
    title: shownName(200).optional(),
    backend: z.string().min(1).max(64).optional(),
    machine: z.string().min(1).max(200).optional(),
    workDir: z.string().min(1).max(4_096).optional(),
  }),
  send: z.strictObject({ sessionId: Id, text: Text }),
  read: z.strictObject({ sessionId: Id.optional(), after: z.number().int().min(0).optional() }),
  wait: z.strictObject({
    sessionIds: z.array(Id).min(1).max(16).optional(),
    timeoutSeconds: z.number().positive().max(86_400).optional(),
  }),
} as const

export type TreeVerb = keyof typeof treeInputs
export type TreeInput<V extends TreeVerb> = z.infer<(typeof treeInputs)[V]>

export const isTreeVerb = (verb: string): verb is TreeVerb => Object.hasOwn(treeInputs, verb)

export const TreeAnswer = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), result: z.record(z.string(), z.unknown()) }),
  z.object({ ok: z.literal(false), error: z.object({ code: z.string().max(64), message: z.string().max(2_000) }) }),
])
export type TreeAnswer = z.infer<typeof TreeAnswer>
