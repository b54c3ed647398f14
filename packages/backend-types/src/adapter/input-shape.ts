/**
 * The meaning of each member of a tool's input. An adapter declares it in its code, once for each of its tools; no output of
 * a program changes it. The host uses it to find the command and the files in a raw input, and pages use it to draw them.
 */
import { z } from 'zod'

/** The name of a member of the input. */
const Member = z.string().min(1).max(100)

export const InputShape = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('command'),
    /** A text for a shell. */
    command: Member,
    /** It is written as a login shell runs it: `/bin/bash -lc '...'`. */
    wrapped: z.boolean().optional(),
    /** The model's own word about it, which changes nothing of what runs. */
    remark: Member.optional(),
    /** Members beside these make it more than a plain command. Absent: nothing is known of it, and no wider grant covers it. */
    plainWith: z.array(Member).max(16).optional(),
  }),
  /** The file is this text afterwards. */
  z.object({ kind: z.literal('write'), path: Member, text: Member }),
  /** Texts in the file are replaced. `list`: there are several in this member, each with a `before` and an `after`. */
  z.object({
    kind: z.literal('edit'),
    path: Member,
    list: Member.optional(),
    before: Member,
    after: Member,
    /** True there: wherever it stands. */
    everywhere: Member.optional(),
  }),
  /** The file changes in a way that texts alone cannot describe. */
  z.object({ kind: z.literal('edit_file'), path: Member }),
  /**
   * A list of `{ path, kind: { type, move_path }, diff }`. Of what is added or deleted (`type`) the `diff` is the whole text, of
   * what is updated a patch.
   */
  z.object({ kind: z.literal('patches'), changes: Member }),
  /** The task of a sub-agent. */
  z.object({ kind: z.literal('task'), text: Member }),
  /** Markdown. */
  z.object({ kind: z.literal('plan'), text: Member }),
  /** A list of `{ question, id, options: [{ label }] }`, and once there are answers, these by question or by id. */
  z.object({ kind: z.literal('questions'), questions: Member, answers: Member }),
  /** No member stands out: each is shown by its name. */
  z.object({ kind: z.literal('members') }),
])
export type InputShape = z.infer<typeof InputShape>
export type InputShapeOf<K extends InputShape['kind']> = Extract<InputShape, { kind: K }>

/** By the name of the tool. */
export type InputShapes = Readonly<Record<string, InputShape>>

/** A tool that is not listed has no shape, whatever its name. */
export function inputShapeOf(shapes: InputShapes | undefined, toolName: string): InputShape | undefined {
  return shapes && Object.hasOwn(shapes, toolName) ? shapes[toolName] : undefined
}
