/**
 * A question or a form as people answer it (PERM-2). The adapter builds it from its program's own format, so that no page
 * and no check needs to know a program. Each field takes the answer of the same name.
 */
import { z } from 'zod'

const Name = z.string().min(1).max(2_000)
const Words = z.string().max(4_000)
const Count = z.number().int().min(0)
/** As an adapter hands it to its host, which cuts it further (`withFittingPreviews`). */
export const PREVIEW_LIMIT_CHARS = 100_000

const common = {
  name: Name,
  /** The question itself. */
  label: Words,
  /** One or two words above it. */
  header: z.string().max(200).optional(),
  about: Words.optional(),
  required: z.boolean(),
}

export const FormOption = z.object({
  /** What is sent; it names the option within its field. */
  value: z.string().max(2_000),
  label: z.string().max(2_000),
  about: Words.optional(),
  /** What choosing it would look like: a drawing, a piece of code. `omitted`: as many characters of its end are not here. */
  preview: z.object({ text: z.string().max(PREVIEW_LIMIT_CHARS), omitted: Count.optional() }).optional(),
})
export type FormOption = z.infer<typeof FormOption>

export const FormField = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('choice'),
    ...common,
    options: z.array(FormOption).min(1).max(100),
    many: z.boolean(),
    /** An answer in the person's own words is taken beside the options. */
    ownAnswer: z.boolean(),
    initial: z.array(z.string().max(2_000)).max(100).optional(),
    min: Count.optional(),
    max: Count.optional(),
  }),
  z.object({
    kind: z.literal('text'),
    ...common,
    format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
    minLength: Count.optional(),
    maxLength: Count.optional(),
    /** Found in the text, or it does not fit: one that `safePattern` takes. */
    pattern: z.string().max(1_000).optional(),
    /** It is not shown while it is typed, and no browser keeps it. */
    secret: z.boolean().optional(),
    initial: Words.optional(),
  }),
  z.object({
    kind: z.literal('number'),
    ...common,
    integer: z.boolean(),
    min: z.number().optional(),
    max: z.number().optional(),
    initial: z.number().optional(),
  }),
  z.object({ kind: z.literal('boolean'), ...common, initial: z.boolean().optional() }),
])
export type FormField = z.infer<typeof FormField>
export type FormFieldOf<K extends FormField['kind']> = Extract<FormField, { kind: K }>

export const AskForm = z.object({
  /** Who asks, where it is not the program itself: the name of an MCP server. */
  from: z.string().max(200).optional(),
  message: Words.optional(),
  /** A page that the person shall open before they answer. */
  url: z.string().max(4_000).optional(),
  fields: z.array(FormField).max(100),
  /** It cannot be drawn: there are no fields, and the request can only be refused. */
  problem: z.object({ code: z.string().max(100), message: Words }).optional(),
})
export type AskForm = z.infer<typeof AskForm>

/** A plan that waits for approval, and the modes in which it can be carried out. */
export const AskPlan = z.object({
  /** Markdown. */
  text: z.string().max(60_000),
  modes: z
    .object({
      /** Every change asks. */
      ask: z.string().max(200).optional(),
      /** Edits of files are accepted. */
      acceptEdits: z.string().max(200).optional(),
    })
    .optional(),
})
export type AskPlan = z.infer<typeof AskPlan>

export const FORM_LIMIT_CHARS = 40_000

/** The form, or, where it breaks a bound, one that says so. Previews count for nothing: they can be cut. */
export function boundedForm(form: AskForm): AskForm {
  const names = form.fields.map(({ name }) => name)
  if (new Set(names).size < names.length) return unreadableForm('Two of its questions have the same name.', form)
  const size = JSON.stringify(form, (key, value) => (key === 'preview' ? undefined : value)).length
  const fits = AskForm.safeParse(form).success && size <= FORM_LIMIT_CHARS
  return fits ? form : unreadableForm('It is too large, or a part of it is empty.', form)
}

/** `why` is one sentence about the form. */
export function unreadableForm(why: string, { from }: Pick<AskForm, 'from'> = {}): AskForm {
  const message = `The form cannot be shown. ${why}`.slice(0, 4_000)
  return { ...(from ? { from: from.slice(0, 200) } : {}), fields: [], problem: { code: 'FORM_UNREADABLE', message } }
}
