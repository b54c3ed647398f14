import type { WebhookView } from '@roundhouse/backend-types'
import { Field } from '../../ui/forms/field'
import { textIn } from '../../ui/forms/on-form'
import { usualTopics } from './webhook-words'

/** What a person chooses of a webhook: where it leads and what it is sent. */
export function WebhookFields({ webhook }: { webhook?: WebhookView | undefined }) {
  return (
    <>
      <Field
        label="Address"
        name="url"
        type="url"
        required
        autoComplete="off"
        placeholder="https://example.com/hook"
        hint="A public https address. The operator of the hub can allow addresses of your network."
        defaultValue={webhook?.url}
      />
      <Topics chosen={webhook?.topics} />
    </>
  )
}

export const webhookIn = (form: FormData) => ({ url: textIn(form, 'url'), topics: topicsIn(form) })

function topicsIn(form: FormData): string[] {
  const own = textIn(form, 'others')
    .split(/[\s,]+/)
    .filter((pattern) => pattern !== '')
  return [...new Set([...form.getAll('topics').map(String), ...own])]
}

const firstTopics: readonly string[] = usualTopics.slice(0, 2).map(({ pattern }) => pattern)

function Topics({ chosen = firstTopics }: { chosen?: readonly string[] | undefined }) {
  const others = chosen.filter((topic) => usualTopics.every(({ pattern }) => pattern !== topic))
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-ink-2 text-sm">Send a message when</legend>
      {usualTopics.map(({ pattern, means }) => (
        <label key={pattern} className="flex items-center gap-2 py-0.5 pointer-coarse:py-2 text-sm">
          <input
            type="checkbox"
            name="topics"
            value={pattern}
            defaultChecked={chosen.includes(pattern)}
            className="size-4 shrink-0 accent-accent"
          />
          {means}
        </label>
      ))}
      <div className="mt-2">
        <Field
          label="Other topics"
          name="others"
          autoComplete="off"
          hint="Patterns of the bus, separated by spaces: * is one word, ** any number of words."
          defaultValue={others.join(' ')}
        />
      </div>
    </fieldset>
  )
}
