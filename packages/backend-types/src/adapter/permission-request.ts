/** What a backend asks before a tool call runs, and the decision that it receives. */
import { z } from 'zod'
import { AskForm, AskPlan } from '../forms/form'

/** The four decisions on a permission request. `allow_session` also leaves a grant behind (PERM-5). */
export const Decision = z.enum(['allow', 'allow_session', 'deny', 'abort'])
export type Decision = z.infer<typeof Decision>

/** Characters of the reason that a person gives for a decision. It is text to the model. */
export const REASON_LIMIT = 2_000

/**
 * A person's answers to a question or a form: one value for each field that the question names. They fill these fields and
 * change nothing else of the input, so a person who may decide may answer (PERM-2).
 */
const AnswerText = z.string().max(10_000)
export const Answers = z
  .record(z.string().min(1).max(2_000), z.union([AnswerText, z.number(), z.boolean(), z.array(AnswerText).max(100)]))
  .refine((answers) => Object.keys(answers).length <= 100, 'at most 100 answers')
export type Answers = z.infer<typeof Answers>

/** That a request is a question or a form: the field of its input that takes the answers, and the names of the answers. */
export const AnswerFields = z.object({
  field: z.enum(['answers', 'content']),
  names: z.array(z.string().min(1).max(2_000)).max(100),
})
export type AnswerFields = z.infer<typeof AnswerFields>

/** A tool call that waits for a person. `callId` pairs it with its `tool_use`. */
export const PermissionRequest = z.object({
  callId: z.string().min(1),
  toolName: z.string().min(1),
  /** The tool's input as the backend supplied it, complete. */
  input: z.unknown(),
  meta: z
    .object({
      backend: z.string().optional(),
      reason: z.string().optional(),
      cwd: z.string().optional(),
      /** True where an allow may carry `updatedInput`. */
      canEdit: z.boolean().optional(),
      /** True where the backend hands a deny reason to the model. */
      canExplainDeny: z.boolean().optional(),
      /** On a question or a form: nothing runs by an allow, and only `Answers` are needed. */
      answerFields: AnswerFields.optional(),
      /** Beside `answerFields`: the question as people answer it. A list of answers stands for several choices. */
      form: AskForm.optional(),
      /** A plan that waits for approval. */
      plan: AskPlan.optional(),
      /** True where an allow may also change the mode of the session (a plan that is approved). */
      canSetMode: z.boolean().optional(),
      /**
       * The program was told to ask about every command, also about those that it runs unasked by its own rules. What those
       * rules let run: the host allows such a request itself if it can tell that nobody needs to be asked (PERM-11).
       */
      byOwnRules: z
        .object({
          /** Anything: a person chose a mode in which nothing is asked. */
          anything: z.boolean(),
          /** Files of the session's folders are written unasked in this mode. */
          edits: z.boolean(),
          /** Commands that the machine's owner allows: a complete command, words followed by `:*` or ` *`, or `*`. */
          commands: z.array(z.string()),
          /** Commands that the owner wants to be asked about in any case, written so as well. */
          asks: z.array(z.string()),
          /** The call only reads this file, or what lies in this folder, and follows no links there. */
          reads: z.string().optional(),
        })
        .optional(),
      /** The program would allow commands that begin with these words from now on: each a list of words. */
      suggestedCommands: z.array(z.array(z.string())).optional(),
    })
    .catchall(z.unknown())
    .optional(),
})
export type PermissionRequest = z.infer<typeof PermissionRequest>

/**
 * The decision on a `PermissionRequest`. An `allow` without `updatedInput` runs the input as requested. `unanswered` tells
 * the backend that nobody decided, which is not a denial (PERM-4); only the host sets it.
 */
export const PermissionDecision = z.object({
  callId: z.string().min(1),
  decision: Decision,
  reason: z.string().optional(),
  /** The whole input that runs instead: an edit, or the input with the answers of a person in their field. */
  updatedInput: z.unknown().optional(),
  /** Only if the request says `canSetMode`: the session continues in this mode. */
  mode: z.string().optional(),
  /** Changes of the program's own rules, in its own words. Only for a `DirectCaller`. */
  updatedPermissions: z.array(z.unknown()).optional(),
  unanswered: z.boolean().optional(),
})
export type PermissionDecision = z.infer<typeof PermissionDecision>
