/**
 * Cuts the previews of a form's options to the size limit of a form: whole lines from the beginning, and how much is left
 * out. The host cuts them after it has removed their secrets, so that half a secret is never shown (PERM-2). Pure.
 */
import { type AskForm, FORM_LIMIT_CHARS, type FormOption, PREVIEW_LIMIT_CHARS } from './form'

type Preview = NonNullable<FormOption['preview']>

/** Tried in this order. */
const lengths = [8_000, 4_000, 2_000, 1_000, 500, 0]

/** What an adapter hands over of an option's preview: all of it, or that it is too long. */
export function previewOf(text: string | undefined): { preview?: Preview } {
  if (!text) return {}
  return { preview: text.length > PREVIEW_LIMIT_CHARS ? { text: '', omitted: text.length } : { text } }
}

/** The longest previews with which the form fits; without any if need be. */
export function withFittingPreviews(form: AskForm): AskForm {
  const cut = lengths.map((length) => withPreviews(form, (preview) => cutTo(preview, length)))
  return cut.find(fits) ?? withPreviews(form, () => undefined)
}

const fits = (form: AskForm) => JSON.stringify(form).length <= FORM_LIMIT_CHARS

function withPreviews(form: AskForm, cut: (preview: Preview) => Preview | undefined): AskForm {
  const fields = form.fields.map((field) =>
    field.kind === 'choice' ? { ...field, options: field.options.map((option) => withPreview(option, cut)) } : field,
  )
  return { ...form, fields }
}

function withPreview(option: FormOption, cut: (preview: Preview) => Preview | undefined): FormOption {
  if (!option.preview) return option
  const { preview, ...rest } = option
  const kept = cut(preview)
  return kept ? { ...rest, preview: kept } : rest
}

function cutTo({ text, omitted = 0 }: Preview, length: number): Preview {
  if (text.length <= length) return omitted > 0 ? { text, omitted } : { text }
  const start = text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
  const lines = start.slice(0, start.lastIndexOf('\n') + 1)
  const kept = lines || start
  return { text: kept, omitted: omitted + text.length - kept.length }
}
